package scenarios

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// stand is a worker in memory that a shop lives in.
type stand struct {
	name   string
	mu     sync.Mutex
	runs   bool
	still  chan struct{} // closed when it goes on; nil: it does
	begins int           // how often it was started
	fails  int           // from this start on it does not; 0: never
	onKill func()        // what it forgets
}

func (s *stand) Name() string { return cmp.Or(s.name, "api") }

func (s *stand) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begins++; s.fails > 0 && s.begins >= s.fails {
		return errNoStart
	}
	s.runs, s.still = true, nil
	return nil
}

func (s *stand) Alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs
}

func (s *stand) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs = false; s.onKill != nil {
		s.onKill()
	}
	return nil
}

func (s *stand) Stop() error { return s.Kill() }

func (s *stand) Pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.still = make(chan struct{})
	return nil
}

func (s *stand) Resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.still != nil {
		close(s.still)
		s.still = nil
	}
	return nil
}

func (s *stand) Asks(from string) bool { return from == s.Name() }

func (s *stand) Exited() string { return "exit status 2" }
func (s *stand) Printed() []string {
	return []string{"goroutine 1", "panic: out of stock", "", "at once"}
}

// wait returns when the worker does not stand still.
func (s *stand) wait(ctx context.Context) error {
	s.mu.Lock()
	still := s.still
	s.mu.Unlock()
	if still == nil {
		return nil
	}
	select {
	case <-still:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type noStart struct{}

func (noStart) Error() string { return "the port is taken" }

var errNoStart = noStart{}

// hosted is a shop in a worker.
type hosted struct {
	*shop
	*stand
}

func (h hosted) Send(ctx context.Context, m target.Message) inject.Answer {
	if !h.Alive() {
		return inject.Answer{Status: "unreachable"}
	}
	if err := h.wait(ctx); err != nil {
		return inject.Answer{Status: "timeout", Err: err}
	}
	a := h.shop.Send(ctx, m)
	if !h.Alive() {
		return inject.Answer{Status: "reset"}
	}
	return a
}

// newHosted makes a shop whose answers are gone with its worker if forgets is true.
func newHosted(forgets bool) hosted {
	h := hosted{&shop{}, &stand{runs: true}}
	if forgets {
		h.onKill = func() { h.answers = map[string][]byte{} }
	}
	return h
}

// runHosted runs a plan in virtual time.
func (h hosted) run(t *testing.T, plan string, then func(checkers.Report, history.History)) {
	t.Helper()
	p, err := Parse("plan.yaml", []byte("name: x\n"+plan))
	if err != nil {
		t.Fatal(err)
	}
	sys := h.system()
	sys.Target, sys.Workers = h, []*worker.Worker{worker.New(worker.Config{Name: "api"}, nil)}
	synctest.Test(t, func(t *testing.T) {
		r, err := newRunner(sys, Options{Run: "r", Plans: []Plan{p}})
		if err != nil {
			t.Fatal(err)
		}
		r.workers = hands([]process{h.stand})
		report, history, err := r.judged(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		then(report, history)
	})
}

// doneTo are the marks that workers have in a history.
func doneTo(h history.History) (all []string) {
	for _, e := range h.Events {
		if e.Kind == history.Mark && strings.HasPrefix(e.Actor, "worker/") {
			all = append(all, e.Name+" "+e.Actor)
		}
	}
	return all
}

func TestStepsOnWorkers(t *testing.T) {
	for name, test := range map[string]struct {
		forgets bool
		plan    string
		verdict checkers.Verdict
		marks   []string
	}{
		"a restart, keys kept":      {false, "steps: [{send: a}, {restart: worker}, {send: a}, {settle: all}]", checkers.Pass, []string{"restarted worker/api"}},
		"a restart, keys in memory": {true, "steps: [{send: a}, {restart: worker}, {send: a}, {settle: all}]", checkers.Fail, []string{"restarted worker/api"}},
		"killed, then started":      {false, "steps: [{send: a}, {kill: worker/1}, {send: a}, {settle: all}]", checkers.Pass, []string{"killed worker/api", "restarted worker/api"}},
		"killed at the end":         {false, "steps: [{send: a}, {kill: worker}, {settle: all}]", checkers.Pass, []string{"killed worker/api", "restarted worker/api"}},
		"the plan says when":        {false, "steps: [{kill: worker}, {send: a}, {restart: worker}, {retry: a}, {settle: all}]", checkers.Pass, []string{"killed worker/api", "restarted worker/api"}},
		"paused":                    {false, "steps: [{pause: worker}, {start: a}, {wait: 1s}, {resume: worker}, {join: all}, {retry: a}, {settle: all}]", checkers.Pass, []string{"paused worker/api", "resumed worker/api"}},
		"paused and left so":        {false, "steps: [{send: a}, {pause: worker}, {settle: all}]", checkers.Pass, []string{"paused worker/api", "resumed worker/api"}},
	} {
		t.Run(name, func(t *testing.T) {
			newHosted(test.forgets).run(t, test.plan+"\nrules: [exactly-once]", func(r checkers.Report, h history.History) {
				if got := verdictOf(r, "x/order"); got != test.verdict || !slices.Equal(doneTo(h), test.marks) {
					t.Errorf("%s, %q\n%s", got, doneTo(h), reasons(r))
				}
			})
		})
	}
}

// What ends by itself is said, and started again for the next case.
func TestWorkerEndsByItself(t *testing.T) {
	h := newHosted(false)
	h.answer = func(n int) *inject.Answer {
		if n == 4 { // after calibration
			_ = h.Kill()
		}
		return nil
	}
	h.run(t, "sweep: {n: [1, 2]}\nsteps: [{send: a}, {retry: a}, {fill: $n}, {settle: all}]\nrules: [exactly-once]", func(r checkers.Report, _ history.History) {
		if got := verdictOf(r, "x/order/n=1"); got != checkers.Inconclusive || !strings.Contains(reasons(r), "worker/api ended by itself (exit status 2): panic: out of stock") {
			t.Errorf("%s\n%s", got, reasons(r))
		}
		if h.begins != 1 {
			t.Errorf("it was started %d times again", h.begins)
		}
	})
}

// One that ends because of a fault is started again, as a supervisor would, and
// the case is judged.
func TestWorkerEndsAfterFault(t *testing.T) {
	h := newHosted(false)
	h.answer = func(n int) *inject.Answer {
		if n == 5 {
			_ = h.Kill()
		}
		return nil
	}
	h.run(t, "steps: [{send: a, fault: lose-answer}, {send: a}, {retry: a}, {settle: all}]\nrules: [exactly-once]", func(r checkers.Report, h history.History) {
		if got := verdictOf(r, "x/order"); got != checkers.Pass || !slices.Equal(doneTo(h), []string{"died worker/api", "restarted worker/api"}) {
			t.Errorf("%s, %q\n%s", got, doneTo(h), reasons(r))
		}
	})
}

func TestWhy(t *testing.T) {
	for _, test := range []struct{ printed, want string }{
		{"", ""},
		{"bye\n\n", "bye"},
		{"      throw er; // Unhandled 'error' event\n\nError: read ECONNRESET\n    at TCP.onStreamRead\n\nNode.js v20.20.2", "Error: read ECONNRESET"},
		{"Traceback (most recent call last):\n  File \"x.py\"\npsycopg2.OperationalError: server closed", "psycopg2.OperationalError: server closed"},
		{"panic: out of stock\n\ngoroutine 1 [running]:", "panic: out of stock"},
		{"fatal error: all goroutines are asleep", "fatal error: all goroutines are asleep"},
	} {
		if got := why(strings.Split(test.printed, "\n")); got != test.want {
			t.Errorf("%q: %q, want %q", test.printed, got, test.want)
		}
	}
}

func TestWorkerDoesNotStartAgain(t *testing.T) {
	h := newHosted(false)
	h.fails = 1
	h.run(t, "steps: [{send: a}, {kill: worker}, {send: a}, {settle: all}]\nrules: [exactly-once]", func(r checkers.Report, _ history.History) {
		if got := verdictOf(r, "x/order"); got != checkers.Inconclusive || !strings.Contains(reasons(r), "worker/api did not start again: the port is taken") {
			t.Errorf("%s\n%s", got, reasons(r))
		}
	})
}

// A pause that strikes when the worker was told to go on already does nothing.
func TestLatePauseIsNone(t *testing.T) {
	for _, late := range []bool{false, true} {
		api := &stand{runs: true}
		rec, err := history.NewRecorder(nil, history.Header{}, history.Redactor{})
		if err != nil {
			t.Fatal(err)
		}
		c := &caseRun{runner: &runner{rec: rec, workers: hands([]*stand{api})}}
		b := &blow{armed: (&board{}).arm(strike{}), free: make(chan struct{}), long: true}
		c.blows = []*blow{b}
		ended := make(chan struct{})
		pause := func() {
			defer close(ended)
			c.strike(t.Context(), Step{Do: doArm, Fault: inject.Pause}, &live{id: "r-1"}, spot{}, b)
		}
		if late {
			c.disarm()
		}
		go pause()
		if late {
			<-ended
		} else {
			for len(rec.History().Events) < 2 { // the fault, and the mark that it stands still
				runtime.Gosched()
			}
			c.letGo()
			<-ended
			c.disarm()
		}
		var all []string
		for _, e := range rec.History().Events {
			all = append(all, e.Name)
		}
		want := map[bool]string{false: "pause paused resumed"}[late]
		if got := strings.Join(all, " "); got != want || api.still != nil {
			t.Errorf("late %t: %q, want %q; it stands still: %t", late, got, want, api.still != nil)
		}
	}
}
