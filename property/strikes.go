package property

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/inject"
)

// strike is one fault and where it strikes.
type strike struct {
	aim
	number  int // of the operation
	attempt int
}

// caller is the side of requests and messages; the others are the kinds of sites
// of the system's own.
const caller = "caller"

// tape is a list of strikes, one at most for each site. Each is a group of rapid,
// which shrinks by leaving it out.
type tape []strike

// aim is a fault and the side on which it strikes.
type aim struct {
	fault inject.Fault
	side  string
}

// aims are the faults of a run.
func aims(o inject.Options) (all []aim) {
	for _, f := range o.Faults {
		all = append(all, aim{f, side(f)})
	}
	for _, f := range o.Provider {
		all = append(all, aim{f, inject.SiteProvider})
	}
	return all
}

// side is where a fault strikes: at the caller's, if it can be there.
func side(f inject.Fault) string {
	where := caller
	for _, l := range inject.Faults {
		switch {
		case l.Fault.Name != f.Name:
		case l.Site != inject.SiteProvider && l.Site != inject.SiteLink:
			return caller
		case where == caller:
			where = l.Site
		}
	}
	return where
}

// tapes are drawn with a number of strikes at least.
func tapes(faults []aim, least int) *rapid.Generator[tape] {
	const most = 8
	aims := rapid.SampledFrom(faults)
	numbers := rapid.IntRange(1, most)
	attempts := rapid.SampledFrom([]int{1, 1, 1, 2})
	strikes := rapid.Custom(func(t *rapid.T) strike {
		return strike{aims.Draw(t, "fault"), numbers.Draw(t, "operation"), attempts.Draw(t, "attempt")}
	})
	lists := rapid.SliceOfNDistinct(strikes, least, most, func(s strike) strike { s.fault = inject.Fault{}; return s })
	return rapid.Map(lists, func(list []strike) tape { return list })
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
