package inject

import (
	"maps"
	"slices"
)

// Tape is the schedule that was drawn by someone else: what stands there for a
// site is done, and nothing anywhere else.
func Tape(strikes map[Site][]Fault) Schedule {
	strikes = maps.Clone(strikes)
	for s, fs := range strikes {
		strikes[s] = slices.Clone(fs)
	}
	return func(s Site) []Fault { return strikes[s] }
}
