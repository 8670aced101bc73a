//go:build unix

package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func size(t *testing.T, file string) int64 {
	t.Helper()
	s, err := os.Stat(file)
	must(t, err)
	return s.Size()
}

// TestKillEndsTheGroup kills while processes are being started: once Kill has
// returned not one byte is written by any of them.
func TestKillEndsTheGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bytes")
	w := New(with(command("fork", file), Ready{Line: "written"}), nil)
	for range 5 {
		must(t, w.Start(t.Context()))
		must(t, w.Kill())
		if !groupGone(w.last.pid()) {
			t.Fatal("the group is there")
		}
		before := size(t, file)
		for range 50 {
			if size(t, file) != before {
				t.Fatal("somebody still writes")
			}
			time.Sleep(time.Millisecond / 2)
		}
	}
}

func TestPauseAndResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bytes")
	w := New(with(command("fork", file), Ready{Line: "written"}), nil)
	must(t, w.Start(t.Context()))
	for range 5 {
		must(t, w.Pause())
		must(t, w.Pause())
		before := size(t, file)
		for range 20 {
			if size(t, file) != before {
				t.Fatal("it was paused and writes")
			}
			time.Sleep(time.Millisecond / 2)
		}
		if !w.Alive() {
			t.Fatal("it is dead")
		}
		must(t, w.Resume())
		must(t, until(bound, func() bool { return size(t, file) > before }, "it was resumed and does not write"))
	}
	must(t, w.Pause())
	must(t, w.Kill())
}

// TestPauseWhileItForks: a thread that waits for its child's exec can not be stopped.
func TestPauseWhileItForks(t *testing.T) {
	w := run(t, with(command("breed", ""), Ready{Line: "breeding"}))
	for n := range 100 {
		if err := w.Pause(); err != nil {
			t.Fatal(n, err)
		}
		must(t, w.Resume())
	}
}

func TestPausedOneAnswersAgain(t *testing.T) {
	addr := address(t)
	w := run(t, with(command("serve", addr), Ready{Addr: addr}))
	must(t, w.Pause())
	answered := make(chan error)
	go func() { answered <- get(t.Context(), "http://"+addr) }()
	select {
	case err := <-answered:
		if err == nil {
			t.Fatal("it was paused and answered")
		}
		t.Fatal(err)
	case <-time.After(20 * time.Millisecond):
	}
	must(t, w.Resume())
	must(t, <-answered)
}

func TestStop(t *testing.T) {
	shell := func(script string) Config {
		return Config{Name: "api", Args: []string{"/bin/sh", "-c", script}, Ready: Ready{Line: "ready"}, Grace: 50 * time.Millisecond}
	}
	for name, c := range map[string]Config{
		"polite":   shell(`trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done`),
		"stubborn": shell(`trap '' TERM; echo ready; while :; do sleep 0.01; done`),
		"paused":   shell(`trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done`),
	} {
		t.Run(name, func(t *testing.T) {
			if name != "stubborn" {
				c.Grace = time.Minute
			}
			w := run(t, c)
			if name == "paused" {
				must(t, w.Pause())
			}
			must(t, w.Stop())
			said := strings.Contains(strings.Join(w.Printed(), " "), "bye")
			if w.Alive() || w.Exited() != "" || said == (name == "stubborn") {
				t.Errorf("alive %v, exited %q, printed %q", w.Alive(), w.Exited(), w.Printed())
			}
		})
	}
}

// TestLeaverDoesNotHoldUp: a process that left the group keeps the pipe open.
func TestLeaverDoesNotHoldUp(t *testing.T) {
	w := New(with(Config{Name: "api", Args: []string{"/bin/sh", "-c", "setsid sh -c 'echo left; exec sleep 1' & wait"}}, Ready{Line: "left"}), nil)
	must(t, w.Start(t.Context()))
	must(t, w.Kill())
	if w.Alive() {
		t.Error("it is held up")
	}
}

func BenchmarkRestart(b *testing.B) {
	addr := address(b)
	w := run(b, with(command("serve", addr), Ready{URL: "http://" + addr + "/healthz"}))
	for b.Loop() {
		must(b, w.Kill())
		must(b, w.Start(b.Context()))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/restart")
	if err := get(b.Context(), "http://"+addr); err != nil {
		b.Fatal(err)
	}
}
