package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// bank is a service in memory that reaches a provider and a database by steps:
// it claims the key, calls the provider, marks the key as done.
type bank struct {
	stand
	noKey    bool          // the provider is called without a key
	claims   bool          // a claim holds for ever
	believes bool          // a provider that can not be reached is taken for done
	prefetch bool          // it does a step more at the first operation
	locks    bool          // a repeat waits for the claim
	relays   bool          // it answers first; an outbox is worked off later
	deaf     bool          // a repeat that comes while another attempt is under way is not let in
	frail    bool          // it ends by itself when it is asked for what is done
	lease    time.Duration // how long a claim holds; 0: for ever

	board *board
	state sync.Mutex
	begun int64
	held  map[string]bool
	done  map[string]bool
	paid  map[string]int
	since map[string]time.Time // when a claim was made
	first bool
	in    int // how many are let in
}

func newBank() *bank {
	return &bank{stand: stand{runs: true}, held: map[string]bool{}, done: map[string]bool{}, paid: map[string]int{}, since: map[string]time.Time{}, first: true}
}

func (b *bank) Render(a target.Attempt, f inject.Fault) (target.Message, error) {
	return target.Message{Line: "POST /charges", Method: "POST", URL: "/charges", Key: a.Key, Fault: f,
		Body: fmt.Appendf(nil, `{"order":%q}`, a.ID), Header: http.Header{"Order": {a.ID}}}, nil
}

func (b *bank) Together(context.Context, []target.Message, time.Duration, func(int, inject.Answer)) (time.Duration, bool) {
	panic("not used")
}

func (b *bank) Send(ctx context.Context, m target.Message) inject.Answer {
	if !b.Alive() {
		return inject.Answer{Status: "unreachable"}
	}
	b.state.Lock()
	b.in++
	refused := b.deaf && b.in > 1
	b.state.Unlock()
	defer func() { b.state.Lock(); b.in--; b.state.Unlock() }()
	if refused {
		return inject.Answer{Status: "unreachable"}
	}
	status := b.charge(m.Header.Get("Order"), m.Key)
	if !b.Alive() {
		return inject.Answer{Status: "reset"}
	}
	return inject.Answer{Status: status, Body: fmt.Appendf(nil, `{"id":"ch_%s"}`, m.Key)}
}

// ask does a step of the service: ok says whether it heard that it was done.
func (b *bank) ask(link, name string, do func()) (ok bool) {
	b.state.Lock()
	b.begun++
	s := wire.Step{Link: link, Name: name, Conn: 1, Call: b.begun}
	b.state.Unlock()
	time.Sleep(time.Millisecond)
	if b.board.hook(s) != wire.Pass || !b.Alive() {
		return false
	}
	b.state.Lock()
	do()
	b.state.Unlock()
	s.Phase = wire.After
	return link == "" || b.board.hook(s) == wire.Pass && b.Alive()
}

// mapped tells whether the steps of an operation are those of a map.
func (b *bank) mapped() bool {
	b.board.mu.Lock()
	defer b.board.mu.Unlock()
	return b.board.on.Load() && b.board.case_ != history.CaseCalibration
}

func (b *bank) charge(order, key string) string {
	known, busy := false, false
	if b.prefetch && b.first && b.mapped() {
		b.first = false
		b.ask("db", "SELECT version", func() {})
	}
	if !b.ask("db", "INSERT keys", func() {
		known, busy = b.done[key], b.held[key] && (b.lease == 0 || time.Since(b.since[key]) < b.lease)
		if b.relays && !busy {
			go b.relay(order)
		}
		if b.held[key] = true; !busy {
			b.since[key] = time.Now()
		}
	}) {
		return "500"
	}
	switch {
	case known && b.frail && b.mapped():
		_ = b.Kill()
		return ""
	case known, b.relays:
		return "201"
	case busy && b.claims:
		return "409"
	case busy && b.locks && b.awaits(key):
		return "201"
	}
	if !b.ask("card", "POST /v1/charges", func() {
		if b.paid[order] == 0 || b.noKey {
			b.paid[order]++
		}
	}) && !b.believes {
		return "502"
	}
	if !b.ask("", "after-effect", func() {}) || !b.ask("db", "COMMIT", func() { b.done[key] = true }) {
		return "500"
	}
	return "201"
}

// relay works off what is in the outbox for an order.
func (b *bank) relay(order string) {
	for sent := false; !sent; {
		time.Sleep(30 * time.Millisecond)
		if b.Alive() && b.ask("card", "POST /v1/charges", func() {
			if b.paid[order] == 0 || b.noKey {
				b.paid[order]++
			}
		}) {
			b.ask("db", "UPDATE outbox", func() { sent = true })
		}
	}
}

// awaits waits until the key is done, for 3 s.
func (b *bank) awaits(key string) (done bool) {
	for range 300 {
		time.Sleep(10 * time.Millisecond)
		b.state.Lock()
		done = b.done[key]
		b.state.Unlock()
		if done || !b.Alive() {
			return true
		}
	}
	return false
}

func (b *bank) Read(_ context.Context, q observe.Query) (counts []observe.Count, err error) {
	b.state.Lock()
	defer b.state.Unlock()
	for _, id := range q.IDs {
		if n := b.paid[id]; n > 0 {
			counts = append(counts, observe.Count{ID: id, N: n})
		}
	}
	return counts, nil
}

// draw makes the map of a bank in virtual time.
func (b *bank) draw(t *testing.T, opt MapOptions, then func([]Map, checkers.Report, history.History, error)) {
	t.Helper()
	b.drawn(t, opt, nil, then)
}

func (b *bank) drawn(t *testing.T, opt MapOptions, links []store, then func([]Map, checkers.Report, history.History, error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opt.Run = "r"
		sys := System{
			Target: b, Address: "bank", Operations: []Operation{{Name: "charge", Test: true, OwnBody: true, JSON: true}},
			Contract:  contract.Contract{Name: "bank", Claim: 2 * time.Second},
			Observers: []Observer{{Observer: history.Observer{Name: "card", Kind: "sql", By: "id", Of: []string{"charge"}, Say: "Order ${id} was charged"}, Read: b}},
		}
		m, err := newMapper([]System{sys}, opt)
		if err != nil {
			t.Fatal(err)
		}
		r := m.instances[0]
		r.board = newBoard(func(e history.Event) { r.rec.Add(e, nil) })
		r.unwatch, b.board = func() {}, r.board
		r.links = links
		if opt.Worker != "none" {
			r.workers = hands([]*bank{b})
		}
		then(m.draw(t.Context()))
	})
}

// table is a map as lines: the moment, and the word of each column.
func table(m Map) string {
	var lines []string
	for i, moment := range m.Moments {
		line := fmt.Sprintf("%d %s:", i+1, moment.Name)
		if moment.Sometimes {
			line += " (sometimes)"
		}
		for _, w := range m.Windows[i*len(columns) : (i+1)*len(columns)] {
			word := w.Word
			switch {
			case w.None:
				word = "-"
			case w.Equal > 0:
				word = "=" + m.Windows[w.Equal-1].Word
			case w.Case == "":
				word = "."
			}
			if line += " " + word; w.Note != "" {
				line += "(" + w.Note + ")"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestMapOfBanks(t *testing.T) {
	for _, c := range []struct {
		name    string
		bank    func(*bank)
		opt     MapOptions
		verdict checkers.Verdict
		want    string
	}{
		{name: "sound", bank: func(*bank) {}, verdict: checkers.Pass, want: `
1 db INSERT keys: pass pass pass =pass pass
2 card POST /v1/charges: pass pass pass =pass pass
3 after-effect: - pass - =pass pass
4 db COMMIT: pass pass pass pass pass`},
		{name: "provider called without a key", bank: func(b *bank) { b.noKey = true }, verdict: checkers.Fail, want: `
1 db INSERT keys: pass pass pass =pass pass
2 card POST /v1/charges: pass pass TWICE =TWICE TWICE
3 after-effect: - TWICE - =TWICE TWICE
4 db COMMIT: TWICE TWICE pass pass TWICE`},
		{name: "claim never ends", bank: func(b *bank) { b.claims = true }, verdict: checkers.Fail, want: `
1 db INSERT keys: pass pass STUCK =STUCK pass
2 card POST /v1/charges: STUCK STUCK pass =pass pass
3 after-effect: - pass - =pass pass
4 db COMMIT: pass pass pass pass pass`}, // 409 for ever, but the effect is there: a conflict
		{name: "claim ends, and it is done again", bank: func(b *bank) { b.claims, b.noKey, b.lease = true, true, 2*time.Second }, verdict: checkers.Fail, want: `
1 db INSERT keys: pass pass pass =pass pass
2 card POST /v1/charges: pass pass TWICE =TWICE pass
3 after-effect: - TWICE - =TWICE pass
4 db COMMIT: TWICE TWICE pass pass pass`}, // not before the claim has ended
		{name: "a repeat that is not let in", bank: func(b *bank) { b.deaf = true }, opt: MapOptions{Only: []string{"2 held"}}, verdict: checkers.Inconclusive, want: `
1 db INSERT keys: . . . = .
2 card POST /v1/charges: . . . = ?
3 after-effect: - . - = .
4 db COMMIT: . . . . .`},
		{name: "it dies at the last repeat", bank: func(b *bank) { b.frail = true }, opt: MapOptions{Only: []string{"2 cut", "4 cut"}}, verdict: checkers.Pass, want: `
1 db INSERT keys: . . . = .
2 card POST /v1/charges: pass(died) . . = .
3 after-effect: - . - = .
4 db COMMIT: pass(died) . . . .`},
		{name: "unknown taken for done", bank: func(b *bank) { b.believes = true }, verdict: checkers.Fail, want: `
1 db INSERT keys: pass pass pass =pass pass
2 card POST /v1/charges: LOST pass pass =pass pass
3 after-effect: - pass - =pass pass
4 db COMMIT: pass pass pass pass pass`},
		{name: "outbox", bank: func(b *bank) { b.relays = true }, verdict: checkers.Pass, want: `
1 db INSERT keys: pass pass pass pass pass
2 card POST /v1/charges: pass pass pass =pass pass
3 db UPDATE outbox: pass pass pass pass pass`},
		{name: "outbox without a key", bank: func(b *bank) { b.relays, b.noKey = true, true }, verdict: checkers.Fail, want: `
1 db INSERT keys: pass pass pass pass pass
2 card POST /v1/charges: pass pass TWICE =TWICE pass
3 db UPDATE outbox: TWICE TWICE pass pass pass`},
		{name: "only one window", bank: func(*bank) {}, opt: MapOptions{Only: []string{"2 kill after"}, Times: 3}, verdict: checkers.Pass, want: `
1 db INSERT keys: . . . = .
2 card POST /v1/charges: . . . =pass .
3 after-effect: - pass(3 tries) - =pass .
4 db COMMIT: . . . . .`},
		{name: "no worker", bank: func(*bank) {}, opt: MapOptions{Worker: "none"}, verdict: checkers.Pass, want: `
1 db INSERT keys: pass  pass = pass
2 card POST /v1/charges: pass  pass = pass
3 after-effect: -  - = pass
4 db COMMIT: pass  pass  pass`},
		{name: "a moment that comes once only", bank: func(b *bank) { b.prefetch = true }, opt: MapOptions{Only: []string{"1 cut", "1 held"}}, verdict: checkers.Inconclusive, want: `
1 db SELECT version: (sometimes) ? . . . ?
2 db INSERT keys: . . . = .
3 card POST /v1/charges: . . . = .
4 after-effect: - . - = .
5 db COMMIT: . . . . .`},
		{name: "a repeat that waits", bank: func(b *bank) { b.locks = true }, opt: MapOptions{Only: []string{"held"}}, verdict: checkers.Pass, want: `
1 db INSERT keys: . . . = pass
2 card POST /v1/charges: . . . = pass(waited)
3 after-effect: - . - = pass(waited)
4 db COMMIT: . . . . pass(waited)`},
		{name: "several times", bank: func(b *bank) { b.noKey = true }, opt: MapOptions{Only: []string{"card POST /v1/charges lose reply", "4 cut"}, Times: 3}, verdict: checkers.Fail, want: `
1 db INSERT keys: . . . = .
2 card POST /v1/charges: . . TWICE(3 of 3) = .
3 after-effect: - . - = .
4 db COMMIT: TWICE(3 of 3) . . . .`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBank()
			c.bank(b)
			b.draw(t, c.opt, func(maps []Map, r checkers.Report, h history.History, err error) {
				if err != nil {
					t.Fatal(err)
				}
				if got := table(maps[0]); got != strings.TrimSpace(c.want) {
					t.Errorf("got\n%s\nwant%s\n%s", got, c.want, reasons(r))
				}
				if r.Verdict() != c.verdict {
					t.Errorf("%s, want %s\n%s", r.Verdict(), c.verdict, reasons(r))
				}
			})
		})
	}
}

// The same seed tries the same windows in the same order, on operations of the same numbers.
func TestMapsOfOneSeedAreTheSame(t *testing.T) {
	var orders [2]string
	for i := range orders {
		newBank().draw(t, MapOptions{Seed: 7}, func(_ []Map, _ checkers.Report, h history.History, err error) {
			for _, e := range h.Events {
				if e.Kind == history.Fault || e.Kind == history.Invoke {
					orders[i] += fmt.Sprintln(e.Kind, e.Case, e.Op, e.Attempt, e.Name, e.Attrs[history.AttrArg])
				}
			}
		})
	}
	if orders[0] != orders[1] || !strings.Contains(orders[0], "fault map/charge/4 kill after") {
		t.Errorf("first\n%s\nthen\n%s", orders[0], orders[1])
	}
}

// A link that did not understand all that passed has not shown all moments.
func TestMapOfAGarbledLink(t *testing.T) {
	newBank().drawn(t, MapOptions{}, []store{&garbled{}}, func(_ []Map, r checkers.Report, _ history.History, err error) {
		if err != nil || r.Verdict() != checkers.Inconclusive || !strings.Contains(reasons(r), "Moments may be missing from the map: link db: TLS.") {
			t.Errorf("%v %s\n%s", err, r.Verdict(), reasons(r))
		}
	})
}

type garbled struct{ shut }

func (*garbled) Name() string { return "db" }
func (*garbled) Err() error   { return errors.New("link db: TLS") }

func TestMapRefusesWindowsThatAreNotThere(t *testing.T) {
	newBank().draw(t, MapOptions{Only: []string{"3 cut"}}, func(_ []Map, _ checkers.Report, _ history.History, err error) {
		want := "no window of charge is \"3 cut\": name a moment, a column or both, as in  '2 lose reply'  'db COMMIT'  'held'; its moments are 1 db INSERT keys, 2 card POST /v1/charges, 3 after-effect, 4 db COMMIT; the columns are cut, kill before, lose reply, kill after, held"
		if err == nil || err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	})
}

func TestOnlyNamesWindows(t *testing.T) {
	w := Window{Moment: 1, Column: columnLoseReply}
	for only, want := range map[string]bool{
		"2": true, "2 lose reply": true, "lose reply": true, "db COMMIT": true, "db COMMIT lose reply": true,
		"1": false, "2 cut": false, "held": false, "db COMMIT held": false, "COMMIT": false, "": false, "reply": false,
	} {
		if got := w.is(only, "db COMMIT"); got != want {
			t.Errorf("%q: %t", only, got)
		}
	}
}

// What is done at once by two goroutines has no order: nothing equals anything.
func TestWindowsThatEqualAnother(t *testing.T) {
	before := func(name string) sighting { return sighting{name, wire.Before, false} }
	after := func(name string) sighting { return sighting{name, wire.After, false} }
	sequence := []sighting{before("a"), after("a"), before("b"), after("b")}
	crossed := []sighting{before("a"), before("b"), after("a"), after("b")}
	under := []sighting{before("x"), before("a"), after("a"), before("b"), after("x"), after("b")}
	for _, c := range []struct {
		name string
		runs []cleanRun
		want bool
	}{
		{"in sequence", []cleanRun{{sequence, 4}, {sequence, 4}}, true},
		{"crossed", []cleanRun{{crossed, 4}, {crossed, 4}}, false},
		{"once in sequence", []cleanRun{{sequence, 4}, {crossed, 4}}, false},
		{"the answer lies between", []cleanRun{{sequence, 2}}, false},
		{"something is under way", []cleanRun{{under, 6}}, false},
		{"b is missing", []cleanRun{{sequence[:2], 2}}, false},
		{"a is missing", []cleanRun{{sequence[2:], 2}}, false},
		{"the point", []cleanRun{{[]sighting{before("a"), after("a"), {"b", wire.Before, true}}, 3}}, true},
	} {
		if got := follows(c.runs, "a", "b"); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// Of several workers the one that takes the step is killed.
func TestMapKillsTheWorkerThatTakesTheStep(t *testing.T) {
	relay := &hand{process: &stand{name: "relay", runs: true}}
	api := &hand{process: &stand{name: "api", runs: true}}
	w := windowRun{caseRun: &caseRun{runner: &runner{workers: []*hand{api, relay}}}, victim: api}
	if h, err := w.struckDown(wire.Step{From: "relay"}); h != relay || err != nil {
		t.Errorf("%v %v", h, err)
	}
	if h, err := w.struckDown(wire.Step{From: "somebody"}); h != nil || err == nil || !strings.Contains(err.Error(), "--worker api") {
		t.Errorf("%v %v", h, err)
	}
	w.named = true
	if h, err := w.struckDown(wire.Step{From: "relay"}); h != api || err != nil {
		t.Errorf("asked for: %v %v", h, err)
	}
}

// A moment is held no longer than half a stated claim: else a repeat that takes
// over a claim which has ended would be taken for one that overlaps.
func TestLongestHold(t *testing.T) {
	for _, c := range []struct{ claim, most, want time.Duration }{
		{0, time.Second, time.Second}, {2 * time.Second, time.Minute, time.Second}, {300 * time.Millisecond, time.Second, 150 * time.Millisecond}, {time.Hour, time.Second, time.Second},
	} {
		r := &runner{sys: System{Contract: contract.Contract{Claim: c.claim}}}
		if got := r.longestHold(c.most); got != c.want {
			t.Errorf("claim %v, asked for %v: %v, want %v", c.claim, c.most, got, c.want)
		}
	}
}

// Where no repeat could be sent while a moment was held, the map says so.
func TestHeldAlone(t *testing.T) {
	b := newBank()
	b.deaf = true
	b.draw(t, MapOptions{Only: []string{"2 held"}}, func(maps []Map, _ checkers.Report, _ history.History, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := maps[0].Windows[place(1, columnHeld)].Reason, "The moment was held, but no repeat reached the service meanwhile."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestColumns(t *testing.T) {
	for i, c := range Columns {
		if c.Name != columns[i] || len(Columns) != len(columns) || faults[c.Name].Name == "" || c.Doc == "" || c.Story == "" || c.Kills != (Window{Column: c.Name}).kills() {
			t.Errorf("%d: %+v", i, c)
		}
	}
}
