package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// tillClaim is how long an unfinished try blocks its key.
const tillClaim = 2 * time.Second

// till is a service in memory whose steps go over links: it claims the key,
// calls its provider, then writes the charge and its answer in one transaction.
type till struct {
	shop    // renders
	workers []*stand
	board   *board
	db      *shut
	broken  string // which design it is; "": a sound one

	mu       sync.Mutex
	calls    int64
	claims   map[string]claimed
	provider map[string]bool // keys that the provider has seen
	paid     map[string]int  // by order
	rows     map[string]int
}

// claimed is a key that the till knows.
type claimed struct {
	at     time.Time
	token  int64
	answer []byte
}

// shut is a link in memory.
type shut struct {
	mu   sync.Mutex
	down bool
}

func (*shut) Name() string { return "db" }
func (s *shut) Err() error { return nil }

func (s *shut) Down() { s.set(true) }
func (s *shut) Up()   { s.set(false) }

func (s *shut) set(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
}

func (s *shut) away() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

var (
	errDead     = errors.New("dead")
	errBroken   = errors.New("connection reset")
	errRefused  = errors.New("serialization failure")
	errReadOnly = errors.New("read only")
	errBusy     = errors.New("in progress")
	errTaken    = errors.New("another took over")
)

// try is one request in a worker.
type try struct {
	*till
	in    *stand
	order string
	key   string
	token int64
}

// step is one request over a link: it is shown to the board before and after.
func (t *try) step(link, name string, durable bool, do func() error) error {
	t.mu.Lock()
	t.calls++
	s := wire.Step{Link: link, Name: name, Call: t.calls, Conn: 1}
	t.mu.Unlock()
	if link == "db" && t.db.away() {
		if t.broken == "ends without its store" {
			_ = t.in.Kill()
			return errDead
		}
		return errBroken
	}
	for _, phase := range []wire.Phase{wire.Before, wire.After} {
		if s.Phase = phase; phase == wire.After {
			t.mu.Lock()
			err := do()
			t.mu.Unlock()
			if err != nil {
				return err
			}
			s.Durable = durable
		}
		did := t.board.hook(s)
		if err := t.in.wait(context.Background()); err != nil || !t.in.Alive() {
			return errDead
		}
		if did == wire.Refuse {
			return errRefused
		}
		if did == wire.ReadOnly && writeStep.MatchString(s.Moment()) {
			return errReadOnly
		}
		if did == wire.Cut {
			return errBroken
		}
	}
	return nil
}

// claim takes the key, or finds its answer.
func (t *try) claim() (answer []byte, err error) {
	err = t.step("db", "INSERT keys", true, func() error {
		c, known := t.claims[t.key]
		held := known && (time.Since(c.at) < tillClaim || t.broken == "claim never ends")
		switch {
		case c.answer != nil:
			answer = c.answer
		case t.broken == "marked first" && known:
			answer = t.answer()
		case held && t.broken != "claim not looked at":
			return errBusy
		default:
			t.claims[t.key] = claimed{at: time.Now(), token: t.token}
		}
		return nil
	})
	return answer, err
}

func (t *try) answer() []byte { return fmt.Appendf(nil, `{"id":"ch_%s","order":%q}`, t.order, t.order) }

// pay calls the provider, which knows its keys.
func (t *try) pay(key string) error {
	return t.step("card", "POST /v1/charges", false, func() error {
		if !t.provider[key] {
			t.provider[key] = true
			t.paid[t.order]++
		}
		return nil
	})
}

// write writes the charge and the answer in one transaction.
func (t *try) write() error {
	var rows int
	insert := func() error { return t.step("db", "INSERT charges", false, func() error { rows++; return nil }) }
	if err := insert(); err != nil {
		if t.broken != "driver resends" || !errors.Is(err, errBroken) {
			return err
		}
		if err := insert(); err != nil {
			return err
		}
	}
	return t.step("db", "COMMIT", true, func() error {
		if c := t.claims[t.key]; c.token != t.token && !t.unfenced() {
			return errTaken
		}
		t.rows[t.order] += rows
		if t.broken != "answer not kept" {
			t.claims[t.key] = claimed{answer: t.answer(), token: t.token}
		}
		return nil
	})
}

// work is the whole of a request.
func (t *try) work() ([]byte, error) {
	answer, err := t.claim()
	if t.broken == "fails open" && (errors.Is(err, errBroken) || errors.Is(err, errReadOnly)) {
		return t.answer(), t.pay(fmt.Sprint(t.token))
	}
	if err != nil || answer != nil {
		return answer, err
	}
	for tries := 0; ; tries++ {
		key := t.key
		if t.broken == "provider key anew" || t.broken == "provider in the transaction" && tries > 0 || t.unfenced() {
			key = fmt.Sprint(t.token, tries)
		}
		if tries == 0 || t.broken == "provider in the transaction" {
			if err := t.pay(key); err != nil {
				return nil, t.release(err)
			}
		}
		if err := t.write(); !errors.Is(err, errRefused) || tries > 3 {
			return t.answer(), t.release(err)
		}
	}
}

// release gives a key back that was not done.
func (t *try) release(err error) error {
	if err == nil || errors.Is(err, errDead) || t.broken == "claim never ends" {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.claims[t.key]; c.answer == nil && c.token == t.token || t.broken == "unknown is failure" {
		delete(t.claims, t.key)
	}
	return err
}

// Send delivers to the worker at the address.
func (t *till) Send(ctx context.Context, m target.Message) inject.Answer {
	in := t.workers[0]
	if m.URL == "2" {
		in = t.workers[1]
	}
	if !in.Alive() {
		return inject.Answer{Status: "unreachable"}
	}
	t.mu.Lock()
	t.calls++
	x := &try{t, in, m.Header.Get("Order"), m.Key, t.calls}
	t.mu.Unlock()
	done := make(chan inject.Answer, 1)
	go func() { done <- x.answered() }()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
		return inject.Answer{Status: "timeout", Err: ctx.Err()}
	}
}

func (t *try) answered() inject.Answer {
	time.Sleep(5 * time.Millisecond)
	body, err := t.work()
	switch {
	case errors.Is(err, errDead) || !t.in.Alive():
		return inject.Answer{Status: "reset"}
	case errors.Is(err, errBusy), errors.Is(err, errTaken):
		return inject.Answer{Status: "409", Body: []byte(`{"error":"in progress"}`)}
	case err != nil:
		return inject.Answer{Status: "503", Body: []byte(`{"error":"try again"}`)}
	}
	return inject.Answer{Status: "201", Body: body, Header: http.Header{}}
}

func (t *till) Render(a target.Attempt, f inject.Fault) (target.Message, error) {
	m, err := t.shop.Render(a, f)
	if a.Replica == 2 {
		m.URL = "2"
	}
	return m, err
}

// unfenced says whether a try finishes although another took over.
func (t *till) unfenced() bool { return t.broken == "no fence" || t.broken == "claim not looked at" }
