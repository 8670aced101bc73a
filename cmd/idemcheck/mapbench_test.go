package main

import (
	"errors"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/scenarios"
)

// BenchmarkWindows is how many windows a second are tried on the sound service of
// the demo, in a process for each window.
func BenchmarkWindows(b *testing.B) {
	s := mapped{instances: 15, opt: scenarios.MapOptions{Idle: 50 * time.Millisecond, Hold: 50 * time.Millisecond, Times: 10}}
	windows, took := 0, time.Duration(0)
	for b.Loop() {
		r, err := s.draw(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		run, tried, failed, _ := r.Maps[0].Counts()
		if tried < run || failed > 0 {
			b.Fatal(text(r))
		}
		windows, took = windows+run*s.opt.Times, took+r.Took
	}
	b.ReportMetric(float64(windows)/took.Seconds(), "windows/s")
}

// BenchmarkRestart is the time from SIGKILL until the service answers again.
func BenchmarkRestart(b *testing.B) {
	s := mapped{}
	systems, end, err := s.start(b.Context(), b.TempDir(), "bench")
	defer end()
	if err != nil {
		b.Fatal(err)
	}
	w := systems[0].Workers[0]
	for b.Loop() {
		if err := errors.Join(w.Kill(), w.Start(b.Context())); err != nil {
			b.Fatal(err)
		}
	}
}
