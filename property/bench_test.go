package property_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/property"
)

// BenchmarkIdempotentVsRapid measures the law against the same check written by
// hand, by turns. x/peer is how fast it is: 1 is as fast, 0.5 half as fast.
func BenchmarkIdempotentVsRapid(b *testing.B) {
	slugs := rapid.StringOf(rapid.SampledFrom([]rune("aA -")))
	b.Run("strings", func(b *testing.B) {
		versus(b, func(t rapid.TB) { property.Idempotent(t, slugs, slug) }, func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) {
				x := slugs.Draw(t, "x")
				once := slug(x)
				if twice := slug(once); twice != once {
					t.Fatalf("slug(%q) = %q, and again %q", x, once, twice)
				}
			})
		})
	})
	sets := rapid.SliceOf(rapid.IntRange(0, 9))
	unique := func(s []int) []int { return union(s, nil) }
	b.Run("slices", func(b *testing.B) {
		versus(b, func(t rapid.TB) { property.Idempotent(t, sets, unique) }, func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) {
				x := sets.Draw(t, "x")
				once := unique(x)
				if twice := unique(once); !equal(once, twice) {
					t.Fatalf("unique(%v) = %v, and again %v", x, once, twice)
				}
			})
		})
	})
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func versus(b *testing.B, ours, peer func(rapid.TB)) {
	var us, them time.Duration
	for b.Loop() {
		start := time.Now()
		us += pass(b, ours, start)
		start = time.Now()
		them += pass(b, peer, start)
	}
	b.ReportMetric(float64(them)/float64(us), "x/peer")
}

func pass(b *testing.B, test func(rapid.TB), start time.Time) time.Duration {
	f := &fake{name: "Benchmark"}
	test(f)
	if f.failed {
		b.Fatal(f.text())
	}
	return time.Since(start)
}
