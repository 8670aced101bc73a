// Package worker starts the processes of a system under test, and kills, pauses
// and resumes them.
package worker

import (
	"context"
	"errors"
	"time"
)

// Config says how a worker is started.
type Config struct {
	Name  string
	Args  []string // the program and its arguments
	Dir   string   // where it runs; "": here
	Env   []string // "NAME=value", added to the environment of the tool
	Ready Ready
	Log   string        // the file that keeps what it prints, appended to; "": nothing is kept
	Grace time.Duration // how long Stop lets it end by itself; 0: 5 s
}

// Ready says how to see that a worker can take work. Without any it is when it runs.
type Ready struct {
	URL    string        // answers 2xx
	Addr   string        // accepts connections: "127.0.0.1:8080"
	Line   string        // a regular expression that a line of its output matches
	Within time.Duration // 0: 30 s
}

// Worker is a process that can be started again and again.
type Worker struct{}

// New makes a worker that does not run yet. What is started and paused is noted
// in the journal, so that the next start of the tool can undo it; j may be nil.
func New(c Config, j *Journal) *Worker { return &Worker{} }

// Name is that of the Config.
func (w *Worker) Name() string { return "" }

// Start starts the process, in a group of its own, and returns when it is
// ready. An error holds the last lines that it printed.
func (w *Worker) Start(ctx context.Context) error { return errors.New("worker: not built yet") }

// Alive reports whether the process runs.
func (w *Worker) Alive() bool { return false }

// Kill ends the whole group with SIGKILL, and returns when it is gone.
func (w *Worker) Kill() error { return nil }

// Pause stops the group with SIGSTOP and returns when it stands still; Resume lets it go on.
func (w *Worker) Pause() error { return nil }

// Resume ends Pause.
func (w *Worker) Resume() error { return nil }

// Stop asks the process to end (SIGTERM), and kills it after its time of grace.
func (w *Worker) Stop() error { return nil }

// Journal notes what would remain if the tool were killed.
type Journal struct{}

// OpenJournal first undoes what is left in dir by tools that were killed, and
// says what that was; then it begins a journal of its own.
func OpenJournal(dir string) (j *Journal, undone []string, err error) {
	return nil, nil, errors.New("worker: not built yet")
}

// File notes a file that must not remain, such as a unix socket.
func (j *Journal) File(path string) error { return nil }

// Close removes the journal.
func (j *Journal) Close() error { return nil }
