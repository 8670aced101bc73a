package inject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject/worker"
)

// process is a Process as the test sees it.
type process struct {
	run *Run
	me  self

	starting sync.Mutex // held while one is started or ended
	dir      string     // for what the test does before it comes to its Process

	mu   sync.Mutex
	life *life // the last one
}

// life is one process, from its start to its end.
type life struct {
	p      *process
	worker *worker.Worker
	out    *line
	files  []*os.File // ours
	ready  chan struct{}
	gone   chan struct{} // closed when it is, and nothing more will be heard of it

	mu      sync.Mutex
	n       int
	waiting map[int]*handed
	told    map[string]bool // ids that it knows
	killed  Fault
}

// handed is one delivery.
type handed struct {
	try  *attempt // nil: none of the run
	done chan error
}

// running is how many attempts of the operation run, this one among them.
func (p *process) running(try *attempt) int {
	if try == nil || try.op == nil {
		return 1
	}
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	return len(try.op.running)
}

func newProcess(r *Run, me self) *process { return &process{run: r, me: me} }

// bootBound is how long a process may take to come to its Process.
const bootBound = time.Minute

// deliver hands an operation to the process and waits for what it says.
func (p *process) deliver(ctx context.Context, id string) error {
	l, err := p.alive(ctx)
	if err != nil {
		return err
	}
	h := &handed{try: attemptOf(ctx), done: make(chan error, 1)}
	w := word{Say: "deliver", ID: id, Running: p.running(h.try)}
	l.mu.Lock()
	l.n++
	w.N = l.n
	l.waiting[w.N] = h
	w.IDs = l.news(id)
	l.mu.Unlock()
	_ = l.out.say(w) // to one that is gone: it is seen below
	select {
	case err := <-h.done:
		return err
	case <-l.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-h.done: // its last word
		return err
	default:
		return l.end()
	}
}

// news are the ids that the process does not know yet. It is called with mu held.
func (l *life) news(id string) (ids []string) {
	l.p.run.mu.Lock()
	defer l.p.run.mu.Unlock()
	for known := range l.p.run.ops {
		if !l.told[known] {
			l.told[known] = true
			ids = append(ids, known)
		}
	}
	if !l.told[id] {
		l.told[id] = true
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// end is the error of what was under way when the process ended.
func (l *life) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.killed != (Fault{}) {
		return fmt.Errorf("the process was killed: %w", errReset(l.killed))
	}
	return fmt.Errorf("the process ended by itself, %s: %w%s", l.worker.Exited(), errConnection, printed(l.worker))
}

func printed(w *worker.Worker) string {
	lines := w.Printed()
	if len(lines) == 0 {
		return ""
	}
	return "; it printed:\n" + strings.Join(lines, "\n")
}

// alive is a process that can take work.
func (p *process) alive(ctx context.Context) (*life, error) {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.mu.Lock()
	l := p.life
	p.mu.Unlock()
	if l != nil {
		select {
		case <-l.gone:
		default:
			return l, nil
		}
	}
	l, err := p.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("inject: Run.Process: %w", err)
	}
	return l, nil
}

// start starts a process and waits until it is ready.
func (p *process) start(ctx context.Context) (*life, error) {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "idemcheck-process-")
		if err != nil {
			return nil, err
		}
		p.dir = dir
	}
	fromTest, toProcess, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromProcess, toTest, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, fromTest.Close(), toProcess.Close())
	}
	l := &life{p: p, out: newLine(toProcess), files: []*os.File{toProcess, fromProcess},
		ready: make(chan struct{}), gone: make(chan struct{}), waiting: map[int]*handed{}, told: map[string]bool{}}
	l.worker = worker.New(worker.Config{Name: p.me.Test, Args: again(p.me.Test, os.Args), Env: p.env(), Files: []*os.File{fromTest, toTest}}, nil)
	err = l.worker.Start(ctx)
	_, _ = fromTest.Close(), toTest.Close() // the process has its own
	if err != nil {
		return nil, errors.Join(err, toProcess.Close(), fromProcess.Close())
	}
	p.mu.Lock()
	p.life = l
	p.mu.Unlock()
	go l.read(fromProcess)
	return l, l.wait(ctx)
}

func (p *process) env() []string {
	me, _ := json.Marshal(p.me) // texts and a number
	return []string{processVariable + "=" + string(me), "TMPDIR=" + p.dir, "GOCOVERDIR=" + p.dir, "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")}
}

// wait waits until the process has come to its Process.
func (l *life) wait(ctx context.Context) error {
	bound := time.NewTimer(bootBound)
	defer bound.Stop()
	select {
	case <-l.ready:
		return nil
	case <-l.gone:
		return fmt.Errorf("the process of %s ended (%s) before it came to the same call; what stands before it runs there, too%s", l.p.me.Test, l.worker.Exited(), printed(l.worker))
	case <-bound.C:
		_ = l.worker.Kill()
		return fmt.Errorf("the process of %s did not come to the same call within %v%s", l.p.me.Test, bootBound, printed(l.worker))
	case <-ctx.Done():
		_ = l.worker.Kill()
		return ctx.Err()
	}
}

// close ends what runs.
func (p *process) close() {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.mu.Lock()
	l := p.life
	p.mu.Unlock()
	if l != nil {
		_ = l.worker.Kill() // it does nothing to one that is gone
		<-l.gone
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}
