// Package worker starts the processes of a system under test, and kills, pauses
// and resumes them.
//
//	j, undone, err := worker.OpenJournal(".idemcheck/journal")
//	w := worker.New(worker.Config{Name: "api", Args: []string{"./payments"}, Ready: worker.Ready{Addr: "127.0.0.1:8080"}}, j)
//	err = w.Start(ctx) // returns when it is ready
//	err = w.Kill()     // returns when it is gone
//	err = w.Start(ctx)
//	...
//	err = errors.Join(w.Stop(), j.Close())
//
// # Workers
//
// A [Worker] is a process group: what the first process starts belongs to it,
// unless it leaves the group, and ends when the first process ends. [Config]
// says what is run, [Ready] how to see that it can take work. Start, Kill and
// Pause return when it is so. Exited and Printed tell of one that ended by itself.
//
// # What is left behind
//
// On Linux the first process also dies with the tool. What remains all the same
// is undone through the [Journal] at the next start.
//
// # Systems
//
// Linux and macOS. Other systems of Unix are like macOS. Windows has no groups:
// only the first process is killed, Pause is an error, and the Journal does nothing.
package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Config says how a worker is started.
type Config struct {
	Name  string     // in errors and in the journal
	Args  []string   // the program and its arguments
	Dir   string     // where it runs; "": here
	Env   []string   // "NAME=value", added to the environment of the tool
	Files []*os.File // further files that it has open, from descriptor 3 on; not on Windows
	Ready Ready
	Log   string        // the file that keeps what it prints, appended to; "": nothing is kept
	Grace time.Duration // how long Stop lets it end by itself; 0: 5 s
}

// Worker is a process that can be started again and again. Its methods may be
// called from several goroutines: Kill, Stop and Pause work while Start waits.
type Worker struct {
	config  Config
	journal *Journal

	mu   sync.Mutex
	last *process // nil: never started
}

// New makes a worker that does not run yet. What is started and paused is noted
// in the journal, so that the next start of the tool can undo it; j may be nil.
func New(c Config, j *Journal) *Worker {
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	return &Worker{config: c, journal: j}
}

// Name is that of the Config.
func (w *Worker) Name() string { return w.config.Name }

// Start starts the process, in a group of its own, and returns when it is
// ready. An error holds the last lines that it printed; then nothing runs.
func (w *Worker) Start(ctx context.Context) error {
	if w.Alive() {
		return w.errorf("%w", errRuns)
	}
	probes, err := w.config.Ready.probes()
	if err != nil {
		return w.errorf("%w", err)
	}
	for _, p := range probes {
		if p.taken(ctx) {
			return w.errorf("%s answers before the start: something else listens there; stop it, or give this worker another port", p.addr)
		}
	}
	p, err := w.spawn()
	if err != nil {
		return w.errorf("%w", err)
	}
	if err := w.config.Ready.wait(ctx, p, probes); err != nil {
		p.kill()
		return w.errorf("%w%s", err, p.out.printed())
	}
	return nil
}

var errRuns = errors.New("it runs already: kill or stop it first")

// spawn starts the process and notes it; none may run.
func (w *Worker) spawn() (*process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last.alive() {
		return nil, errRuns
	}
	p, err := start(w.config, w.journal.env(w.config.Name))
	if err != nil {
		return nil, err
	}
	if err := w.journal.started(w.config.Name, p.pid()); err != nil {
		p.kill()
		return nil, err
	}
	w.last = p
	return p, nil
}

// current is the latest process; nil: there was none.
func (w *Worker) current() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// Alive reports whether the process runs.
func (w *Worker) Alive() bool { return w.current().alive() }

// Gone is closed when the last process has ended, and its group with it. It is
// nil before the first Start.
func (w *Worker) Gone() <-chan struct{} {
	p := w.current()
	if p == nil {
		return nil
	}
	return p.done
}

// Exited says how the last process ended, if it did so before Kill or Stop:
// "exit status 3", "signal: killed"; else "".
func (w *Worker) Exited() string {
	p := w.current()
	if p == nil || p.alive() || p.wanted.Load() {
		return ""
	}
	return p.how
}

// Printed are the last lines that the last process printed.
func (w *Worker) Printed() []string {
	p := w.current()
	if p == nil {
		return nil
	}
	return p.out.last()
}

// Kill ends the whole group with SIGKILL, and returns when it is gone. Where
// none runs it does nothing.
func (w *Worker) Kill() error {
	p := w.current()
	if p == nil {
		return nil
	}
	p.kill()
	if p.err != nil {
		return w.errorf("%w", p.err)
	}
	return nil
}

// Stop asks the process to end (SIGTERM), and kills it after its time of grace.
func (w *Worker) Stop() error {
	p := w.current()
	if !p.alive() {
		return w.Kill()
	}
	p.wanted.Store(true)
	p.terminate()
	grace := time.NewTimer(w.config.Grace)
	defer grace.Stop()
	select {
	case <-p.done:
	case <-grace.C:
	}
	return w.Kill()
}

// Asks reports whether it is a process of the worker that takes a step on a link
// or at a point of code, by Step.From. Off Linux nobody is known.
func (w *Worker) Asks(from string) bool {
	p := w.current()
	return p != nil && from != "" && asks(p.pid(), from)
}

// Pause stops the group with SIGSTOP and returns when it stands still; Resume lets it go on.
func (w *Worker) Pause() error { return w.whileAlive((*process).pause) }

// Resume ends Pause.
func (w *Worker) Resume() error { return w.whileAlive((*process).resume) }

func (w *Worker) whileAlive(do func(*process) error) error {
	p := w.current()
	if !p.alive() {
		return w.errorf("it does not run")
	}
	if err := do(p); err != nil {
		return w.errorf("%w", err)
	}
	return nil
}

func (w *Worker) errorf(format string, args ...any) error {
	return fmt.Errorf("worker "+strings.ReplaceAll(w.config.Name, "%", "%%")+": "+format, args...)
}
