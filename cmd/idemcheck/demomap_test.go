package main

import (
	"bytes"
	"testing"
)

// The maps of the demo are red where the defect is, and green for the sound service.
func TestDemoMaps(t *testing.T) {
	unraced(t)
	services := demoMapped()
	runs, maps, err := drawAll(t.Context(), services, func(int, int, string) {})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := mapsText(&b, services, runs); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
	for i, m := range maps {
		t.Logf("%+v in %v", m, runs[i].Took)
		if !m.shown() {
			t.Errorf("%s is not shown as it is:\n%s", m.Service, text(runs[i]))
		}
	}
}
