package scenarios

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// process is what the runner needs of a worker.
type process interface {
	Name() string
	Start(context.Context) error
	Alive() bool
	Kill() error
	Pause() error
	Resume() error
	Stop() error
	Exited() string    // how it ended by itself
	Printed() []string // the last lines
	Asks(from string) bool
}

// hand is a worker and what was done to it.
type hand struct {
	process
	mu     sync.Mutex
	gone   bool   // killed, stopped, or found dead: it waits to be started
	still  bool   // paused
	deaths int    // how often it ended although nobody ended it
	words  string // the last lines that it printed then
}

// hands makes a list of what are called workers of a System.
func hands[P process](workers []P) (all []*hand) {
	for _, w := range workers {
		all = append(all, &hand{process: w})
	}
	return all
}

// actor is who the history says that the worker is.
func (h *hand) actor() string { return "worker/" + h.Name() }

// died counts how often the worker ended although nobody ended it.
func (h *hand) died() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.gone && !h.Alive() {
		h.gone, h.still, h.words = true, false, lastWords(h.process)
		h.deaths++
	}
	return h.deaths
}

// find are the workers that a step means: all, that of a name, or by its number in the file.
func find[T interface{ Name() string }](all []T, name string) (found []T) {
	n, err := strconv.Atoi(name)
	for i, w := range all {
		if name == "" || w.Name() == name || err == nil && n == i+1 {
			found = append(found, w)
		}
	}
	return found
}

// whom are the workers that a step of the case means.
func (c *caseRun) whom(s Step) []*hand { return find(c.workers, s.whose()) }

// kill ends a worker at once. What is recorded so far is in the file before.
func (c *caseRun) kill(h *hand) error {
	c.rec.Flush()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return nil
	}
	if err := h.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", h.actor(), err)
	}
	h.gone, h.still = true, false
	c.did(history.MarkKilled, h.actor())
	return nil
}

// restart stops a worker that runs, and starts it again.
func (c *caseRun) restart(ctx context.Context, h *hand) error {
	defer c.hushed()()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.gone {
		if err := h.Stop(); err != nil {
			return fmt.Errorf("stop %s: %w", h.actor(), err)
		}
		h.gone, h.still = true, false
	}
	return c.begun(ctx, h)
}

// begun starts a worker that does not run; the caller has its lock.
func (c *caseRun) begun(ctx context.Context, h *hand) error {
	defer c.hushed()()
	if err := h.Start(ctx); err != nil {
		return fmt.Errorf("%s did not start again: %w", h.actor(), err)
	}
	h.gone = false
	c.did(history.MarkRestart, h.actor())
	return nil
}

// hushed keeps what workers do when they end and begin from being taken for the
// operation's; the result undoes it.
func (r *runner) hushed() (undo func()) {
	if r.board == nil {
		return func() {}
	}
	r.board.hush()
	return r.board.listen
}

// revive starts the workers that do not run.
func (c *caseRun) revive(ctx context.Context) (err error) {
	for _, h := range c.workers {
		h.mu.Lock()
		if h.gone {
			err = errors.Join(err, c.begun(ctx, h))
		}
		h.mu.Unlock()
	}
	return err
}

// stand makes a worker stand still, or go on.
func (c *caseRun) stand(h *hand, still bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	do, mark := h.Resume, history.MarkResumed
	if still {
		do, mark = h.Pause, history.MarkPaused
	}
	if h.gone || h.still == still {
		return nil
	}
	if err := do(); err != nil {
		return fmt.Errorf("%s is not %s: %w", h.actor(), mark, err)
	}
	h.still = still
	c.did(mark, h.actor())
	return nil
}

// did records what was done to a worker or link.
func (c *caseRun) did(mark, to string) {
	c.rec.Add(history.Event{Kind: history.Mark, Name: mark, Case: c.Name, Actor: to}, nil)
}

// accidents are the workers that ended by themselves since the case began. After
// a fault that is the service's own answer to it: it is recorded, and the case
// goes on as it would under a supervisor that starts it again.
func (c *caseRun) accidents() (err error) {
	for _, h := range c.workers {
		deaths := h.died()
		switch {
		case deaths <= c.lived[h]:
		case c.faulted():
			c.lived[h] = deaths
			c.falls++
			c.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkDied, Case: c.Name, Actor: h.actor(), Cause: strings.TrimSpace(h.words)}, nil)
			c.mark(c.Name, history.MarkNote, "", fmt.Sprintf("%s ended by itself%s. It was started again.", h.actor(), h.words))
		default:
			err = errors.Join(err, fmt.Errorf("%s ended by itself%s", h.actor(), h.words))
		}
	}
	return err
}

// faulted says whether a fault has fired in the case, or something is away.
func (c *caseRun) faulted() bool {
	return len(c.away) > 0 || slices.ContainsFunc(c.rec.History().Events, func(e history.Event) bool {
		return e.Kind == history.Fault && e.Case == c.Name
	})
}

// lastWords are how a worker ended, and the line in which it says why.
func lastWords(p process) string {
	said := ""
	if how := p.Exited(); how != "" {
		said = " (" + how + ")"
	}
	if line := why(p.Printed()); line != "" {
		said += ": " + line
	}
	return said
}

// why is the line of the last ones that says what went wrong, else the last.
func why(lines []string) (line string) {
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l != "" {
			line = l
		}
		if complaint.MatchString(l) {
			return l
		}
	}
	return line
}

// complaint is how programs begin what they say at their end: "Error: read
// ECONNRESET", "panic: ...", "psycopg2.OperationalError: ...", "fatal: ...".
var complaint = regexp.MustCompile(`^(?i:[\w.$]*(error|exception|panic|fatal)[\w ]*:)`)

// workerStep carries out a step on workers.
func (c *caseRun) workerStep(ctx context.Context, s Step) (err error) {
	if s.Do == doResume {
		c.letGo() // first: what strikes later pauses nobody
	}
	for _, h := range c.whom(s) {
		switch s.Do {
		case doKill:
			err = c.kill(h)
		case doRestart:
			err = c.restart(ctx, h)
		case doPause:
			err = c.stand(h, true)
		case doResume:
			err = c.stand(h, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restarts says whether the plan itself starts what it kills.
func (p Plan) restarts() bool {
	for _, s := range p.Steps {
		if s.Do == doRestart {
			return true
		}
	}
	return false
}
