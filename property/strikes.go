package property

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/inject"
)

// strike is one fault and where it strikes.
type strike struct {
	fault   inject.Fault
	side    string // caller, or the kind of a site of the system's own
	number  int    // of the operation
	attempt int
}

// caller is the side of requests and messages.
const caller = "caller"

// tape is a list of strikes, one at most for each site. Each is a group of rapid,
// which shrinks by leaving it out.
type tape []strike

// tapes are drawn with a number of strikes at least.
func tapes(faults []inject.Fault, least int) *rapid.Generator[tape] {
	const most = 8
	kinds := rapid.SampledFrom(faults)
	numbers := rapid.IntRange(1, 2*most)
	attempts := rapid.IntRange(1, 2)
	strikes := rapid.Custom(func(t *rapid.T) strike {
		f := kinds.Draw(t, "fault")
		return strike{f, rapid.SampledFrom(sides(f)).Draw(t, "side"), numbers.Draw(t, "operation"), attempts.Draw(t, "attempt")}
	})
	lists := rapid.SliceOfNDistinct(strikes, least, most, func(s strike) strike { s.fault = inject.Fault{}; return s })
	return rapid.Map(lists, func(list []strike) tape { return list })
}

// sides are where a fault can strike.
func sides(f inject.Fault) (all []string) {
	for _, l := range inject.Faults {
		if l.Fault.Name != f.Name {
			continue
		}
		side := caller
		if l.Site == inject.SiteProvider || l.Site == inject.SiteLink {
			side = l.Site
		}
		if !slices.Contains(all, side) {
			all = append(all, side)
		}
	}
	return all
}

// schedule is the tape for a run. Operations whose ids the trial made have large
// numbers; they share the first ones.
func (tp tape) schedule(s inject.Site) []inject.Fault {
	const own, shared = 1000, 4
	side, _, _ := strings.Cut(s.Name, "/")
	if side != inject.SiteProvider && side != inject.SiteLink {
		side = caller
	}
	if s.Number > own {
		s.Number = 1 + s.Number%shared
	}
	for _, k := range tp {
		if k.side == side && k.number == s.Number && k.attempt == s.Attempt {
			return []inject.Fault{k.fault}
		}
	}
	return nil
}

// GoString is what rapid prints of a drawn tape.
func (tp tape) GoString() string {
	if len(tp) == 0 {
		return "none"
	}
	var all []string
	for _, s := range tp {
		where := fmt.Sprintf("operation %d", s.number)
		if s.side != caller {
			where += ", " + s.side
		}
		if s.attempt > 1 {
			where += fmt.Sprintf(", attempt %d", s.attempt)
		}
		all = append(all, s.fault.String()+" at "+where)
	}
	return strings.Join(all, "; ")
}
