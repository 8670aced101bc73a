package property

import (
	"slices"
	"time"

	"pgregory.net/rapid"
)

// Gaps draws how long to wait between two deliveries where something is kept for
// a while: the life of a key, a claim, a lease. Of each life it draws 1 ns, the
// half, the whole, and 1 ns more and less: mistakes sit at boundaries, which a
// plain range of durations hardly ever meets. It shrinks to the shortest.
func Gaps(lives ...time.Duration) *rapid.Generator[time.Duration] {
	gaps := []time.Duration{1}
	for _, life := range lives {
		gaps = append(gaps, life/2, life-1, life, life+1)
	}
	gaps = slices.DeleteFunc(gaps, func(d time.Duration) bool { return d < 1 })
	slices.Sort(gaps)
	return rapid.SampledFrom(slices.Compact(gaps))
}
