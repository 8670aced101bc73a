package worker

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func run(t testing.TB, c Config) *Worker {
	t.Helper()
	w := New(c, nil)
	t.Cleanup(func() { must(t, w.Kill()) })
	must(t, w.Start(t.Context()))
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err == nil {
		c.Close()
	}
	return err != nil
}

func TestKillAndStartAgain(t *testing.T) {
	addr := address(t)
	c := command("serve", addr)
	c.Ready.URL = "http://" + addr + "/healthz"
	w := run(t, c)
	for n := range 100 {
		must(t, w.Kill())
		if w.Alive() || !refused(addr) {
			t.Fatalf("kill %d: it still runs", n)
		}
		must(t, w.Start(t.Context()))
		if !w.Alive() || refused(addr) {
			t.Fatalf("start %d: it does not answer", n)
		}
	}
	must(t, w.Kill())
	must(t, w.Kill())
	if s := w.Exited(); s != "" {
		t.Errorf("it was killed, Exited says %q", s)
	}
}

func TestReadiness(t *testing.T) {
	addr := address(t)
	for name, r := range map[string]Ready{
		"none": {}, "addr": {Addr: addr}, "line": {Line: "^listening on .*:"}, "url": {URL: "http://" + addr + "/"},
		"all": {Addr: addr, Line: "listening", URL: "http://" + addr + "/x"},
	} {
		t.Run(name, func(t *testing.T) {
			c := command("serve", addr)
			c.Ready = r
			w := run(t, c)
			if !w.Alive() || r != (Ready{}) && refused(addr) {
				t.Error("it was ready and does not answer")
			}
		})
	}
}

func TestNotReady(t *testing.T) {
	addr := address(t)
	for want, c := range map[string]Config{
		"worker api: ended before it was ready: exit status 3; it printed last:\n    no such table": with(command("exit", "no such table"), Ready{Addr: addr}),
		`not ready after 50ms: it printed no line that matches "hello"; it printed nothing`:         with(command("sleep", ""), Ready{Line: "hello", Within: 50 * time.Millisecond}),
		"connection refused; it printed nothing":                                                    with(command("sleep", ""), Ready{Addr: addr, Within: 50 * time.Millisecond}),
		"/missing answers 404 Not Found, want 2xx; it printed last:\n    listening on":              with(command("serve", addr), Ready{URL: "http://" + addr + "/missing", Within: 300 * time.Millisecond}),
		"worker api: no program to run":                                                             {Name: "api"},
		"no-such-program":                                                                           {Name: "api", Args: []string{"./no-such-program"}},
		`ready: URL "localhost", want one such as`:                                                  {Name: "api", Ready: Ready{URL: "localhost"}},
		"missing closing":           with(command("sleep", ""), Ready{Line: "("}),
		"no such file or directory": {Name: "api", Args: []string{"true"}, Log: filepath.Join(t.TempDir(), "no", "log")},
	} {
		w := New(c, nil)
		err := w.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if w.Alive() || !refused(addr) {
			t.Errorf("%s: it runs all the same", want)
		}
		must(t, w.Kill())
	}
}

func with(c Config, r Ready) Config { c.Ready = r; return c }

// TestSomebodyElse: what answers already can not be taken for the worker.
func TestSomebodyElse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	w := New(with(command("sleep", ""), Ready{Addr: l.Addr().String()}), nil)
	if err := w.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "answers before the start") || w.Alive() {
		t.Error(err)
	}
}

func TestStartIsGivenUp(t *testing.T) {
	for name, give := range map[string]func(*Worker, context.CancelFunc){
		"cancelled": func(_ *Worker, cancel context.CancelFunc) { cancel() },
		"killed":    func(w *Worker, _ context.CancelFunc) { w.Kill() },
		"stopped":   func(w *Worker, _ context.CancelFunc) { w.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := New(with(command("sleep", ""), Ready{Line: "never"}), nil)
			failed := make(chan error, 1)
			go func() { failed <- w.Start(ctx) }()
			must(t, until(bound, w.Alive, "it was not started"))
			give(w, cancel)
			if err := <-failed; err == nil || w.Alive() {
				t.Errorf("%v; alive: %v", err, w.Alive())
			} else if name == "cancelled" && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

func TestEndsByItself(t *testing.T) {
	c := command("exit", "the disk is full")
	c.Log = filepath.Join(t.TempDir(), "log")
	w := New(c, nil)
	for range 2 {
		if err := w.Start(t.Context()); err != nil && !strings.Contains(err.Error(), "exit status 3") {
			t.Fatal(err)
		}
		must(t, until(bound, func() bool { return !w.Alive() }, "it did not end"))
	}
	if w.Exited() != "exit status 3" || strings.Join(w.Printed(), "|") != "the disk is full" {
		t.Errorf("%q, %q", w.Exited(), w.Printed())
	}
	log, err := os.ReadFile(c.Log)
	if must(t, err); string(log) != "the disk is full\nthe disk is full\n" {
		t.Errorf("log: %q", log)
	}
	if w.Pause() == nil || w.Resume() == nil {
		t.Error("one that has ended was paused")
	}
	must(t, w.Kill())
	must(t, w.Stop())
}

func TestManyAtOnce(t *testing.T) {
	w := New(with(command("serve", "127.0.0.1:0"), Ready{Line: "listening", Within: 100 * time.Millisecond}), nil)
	var all sync.WaitGroup
	for _, do := range []func() error{w.Kill, w.Stop, w.Pause, w.Resume, func() error { return w.Start(t.Context()) }} {
		for range 2 {
			all.Go(func() {
				for range 10 {
					do()
					w.Alive()
					w.Exited()
					w.Printed()
				}
			})
		}
	}
	all.Wait()
	must(t, w.Kill())
}
