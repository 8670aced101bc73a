package inject

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Process runs a worker in a process of its own, which is killed by SIGKILL where
// [KillBefore] and [KillAfter] say so: no deferred function runs, no buffer is
// flushed, and its connections break. The next delivery starts it again.
//
//	run := inject.Start(t, inject.KillAfter)
//	work := run.Process(t.TempDir(), func(dir string) func(context.Context, string) error {
//		w := open(dir, run.Effect) // what the worker does when it starts
//		return w.handle            // and for each message
//	})
//	run.Queue(ids...).Consume(work)
//
// The process is the test binary once more. It runs the same test, and when it
// comes to this Process it stays here: boot gets the arg of the test (a folder, an
// address), and what it returns is called for each delivery, several at once if
// they come so. In the test, Process returns a function that delivers an
// operation to the process and waits; the process may end first, and then it
// returns an error that wraps syscall.ECONNRESET. So call Process soon: TestMain and
// what the test does before are done in each process.
//
// In the process, Effect, Undo and the INSERTs of [Run.DB] are told to the test and
// recorded there before they return, and there a kill strikes: the process is gone
// before anything else happens. KillBefore strikes before the effect is recorded. So
// call Effect in the place of what it stands for, or, for KillAfter only, just
// behind it. Nothing else of the run may be used there.
//
// The process ends with the test. What it printed is told when it ends by itself.
// It needs a system of Unix; elsewhere the test is skipped.
func (r *Run) Process(arg string, boot func(arg string) func(ctx context.Context, id string) error) func(ctx context.Context, id string) error {
	r.t.Helper()
	if p := r.process(arg, boot); p != nil {
		return p.deliver
	}
	return func(context.Context, string) error { return errOther }
}

// process is a new one; nil in a process that is another.
func (r *Run) process(arg string, boot func(string) func(context.Context, string) error) *process {
	r.t.Helper()
	nth, done := processes.next(r.t.Name())
	r.t.Cleanup(done)
	me := self{Test: r.t.Name(), Nth: nth}
	if is, ok := childOf(os.Getenv(processVariable)); ok {
		if is.Test != me.Test || is.Nth != me.Nth {
			return nil
		}
		_ = os.Unsetenv(processVariable) // what it starts is not this process
		r.serve(is.Arg, boot)
	}
	r.mayProcess()
	me.Arg = arg
	p := newProcess(r, me)
	r.t.Cleanup(p.close)
	return p
}

// mayProcess stops a test that cannot have processes.
func (r *Run) mayProcess() {
	r.t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		why := "inject: Run.Process needs SIGKILL and open files that are inherited, which " + runtime.GOOS + " has not"
		if s, ok := r.t.(interface{ Skipf(string, ...any) }); ok {
			s.Skipf("%s", why)
		}
		r.t.Fatalf("%s", why)
	}
	if _, bubble := here(); bubble {
		r.t.Fatalf("inject: Run.Process does not work in a bubble of testing/synctest: a process has its own time")
	}
	if strings.HasPrefix(r.t.Name(), "Benchmark") {
		r.t.Fatalf("inject: Run.Process does not work in a benchmark: call it in a test")
	}
}

// processVariable says to a test binary which Process it is.
const processVariable = "IDEMCHECK_PROCESS"

// self is which Process of which test one is.
type self struct {
	Test string `json:"test"`
	Nth  int    `json:"nth"`
	Arg  string `json:"arg"`
}

var errOther = fmt.Errorf("this process is another's: only the test delivers")

// nths counts the Processes of a test.
type nths struct {
	mu sync.Mutex
	n  map[string]int
}

var processes = &nths{n: map[string]int{}}

// next counts one more, until done.
func (c *nths) next(test string) (n int, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[test]++
	return c.n[test], func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n[test]--
	}
}
