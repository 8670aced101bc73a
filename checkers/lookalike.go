package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// lookAlike names the presets that agree with all that was seen, well enough and
// better than any other. Where many agree alike it says so; where the
// contract is such a preset already there is nothing to say.
func (f *facts) lookAlike(named string) string {
	var best []string
	most := exactly + loosely
	for i := range contract.Catalogue {
		c := &contract.Catalogue[i]
		n, ok := f.agrees(c)
		switch {
		case !ok || n < most || !seenOnTheWire(c):
		case n > most:
			most, best = n, []string{c.Name}
		default:
			best = append(best, c.Name)
		}
	}
	name, _, _ := strings.Cut(named, ",")
	switch {
	case slices.Contains(best, name):
		return ""
	case len(best) > 3:
		return fmt.Sprintf("several presets: %s and %d more", strings.Join(best[:3], ", "), len(best)-3)
	}
	return strings.Join(best, " or ")
}

// seenOnTheWire reports whether a preset is one of services whose keys travel in
// a place of their own, as those of this history do.
func seenOnTheWire(c *contract.Contract) bool {
	return c.Kind.Has("replay") && !c.Carrier.Has("derived") && !c.Carrier.Has("graphql")
}

// How well a preset fits what was seen on one axis.
const (
	against = -1
	loosely = 1 // it allows this among much else
	exactly = 2 // it says just this
)

// agrees adds up how well a preset fits on the axes that it speaks of; ok is
// false if it was seen to be wrong on one.
func (f *facts) agrees(c *contract.Contract) (sum int, ok bool) {
	for _, axis := range []struct {
		field *contract.Field
		seen  []string
		fits  func(f *contract.Field, seen string) int
	}{
		{&c.Mismatch, f.mismatch, fitsMismatch},
		{&c.InFlight, f.stillRunning(), fitsStatus},
		{&c.Replay, f.replay, fitsReplay},
		{&c.Missing, f.keyless, fitsMissing},
		{&c.Marker, f.replay, fitsMarkedStatus},
		{&c.Marker, f.markers, fitsMarker},
	} {
		if len(axis.field.Values) == 0 || len(axis.seen) == 0 {
			continue
		}
		worst := exactly
		for _, s := range axis.seen {
			worst = min(worst, axis.fits(axis.field, s))
		}
		if worst == against {
			return 0, false
		}
		sum += worst
	}
	return sum, true
}

// stillRunning are the answers in flight. A copy that was accepted may have come
// too late to meet the first, so beside a refusal it tells nothing.
func (f *facts) stillRunning() []string {
	refusals := slices.DeleteFunc(slices.Clone(f.inFlight), func(s string) bool { return s == "wait" })
	if len(refusals) > 0 {
		return refusals
	}
	return f.inFlight
}

func fitsStatus(f *contract.Field, seen string) int {
	switch {
	case f.Has(seen) && len(f.Values) == 1:
		return exactly
	case f.Has(seen), f.Has("reject") && strings.HasPrefix(seen, "4"):
		return loosely
	}
	return against
}

func fitsMismatch(f *contract.Field, seen string) int {
	if strings.HasPrefix(seen, "2") && (f.Has("replay") || f.Has("execute")) {
		return exactly
	}
	return fitsStatus(f, seen)
}

func fitsMissing(f *contract.Field, seen string) int {
	if strings.HasPrefix(seen, "2") && f.Has("run") {
		return loosely // most do
	}
	return fitsStatus(f, seen)
}

// fitsReplay: a state that has not changed is answered in the same bytes.
func fitsReplay(f *contract.Field, seen string) int {
	switch {
	case seen == "409" && f.Has("conflict"), f.Has(seen) && len(f.Values) == 1:
		return exactly
	case f.Has(seen), seen == "verbatim" && f.Has("current"):
		return loosely
	}
	return against
}

// fitsMarkedStatus: where the status of a repeat is the mark, another is against it.
func fitsMarkedStatus(f *contract.Field, seen string) int {
	switch {
	case f.Has("201->200") && seen == "verbatim", f.Has("201->201") && seen == "remapped":
		return against
	}
	return 0
}

func fitsMarker(f *contract.Field, seen string) int {
	if slices.ContainsFunc(f.Values, func(v string) bool {
		name, _, _ := strings.Cut(v, ":")
		return strings.EqualFold(name, seen)
	}) {
		return exactly
	}
	return against
}
