package inject

import "testing"

// BenchmarkEffectOff is what a hook costs production code that holds none.
func BenchmarkEffectOff(b *testing.B) {
	var off *Run
	for b.Loop() {
		off.Effect("order-1")
	}
}
