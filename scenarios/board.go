package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// board is the one hook of all links and points of a System. It records each
// step as a moment of the operation under way, under a name that is the same in
// each run, and lets strikes strike.
//
// A case that uses links runs alone, so that each step belongs to its operation:
//
//	b.begin("kill-after-effect/charge")       // record and count from now on
//	a := b.arm(strike{moment: "db COMMIT", phase: wire.After, do: kill})
//	... send; the runner says b.turn(op) at each attempt ...
//	a.wait()                                  // what do began has ended
//	b.hush(); ... restart ...; b.listen()     // a worker that starts is not the operation
//	if !a.fired() { ... }                     // the case is inconclusive
//	b.end()                                   // takes back what is armed
//
// Between end and begin a step costs one atomic load.
type board struct {
	record func(history.Event)
	on     atomic.Bool

	mu      sync.Mutex
	hushed  bool
	learns  bool            // nothing is sent: what is seen now is left out later
	idle    map[string]bool // names that are left out
	ours    map[line]bool   // a transaction of the operation is open
	case_   string
	op      *live // of the last attempt
	counts  map[string]map[string]int
	traces  map[string][]sighting // what was seen of each operation, by id
	calls   map[call]string       // the name under which a Before was seen
	strikes []*armed
	hitAt   int            // how much of the trace was seen when one of them struck
	running sync.WaitGroup // strikes that have struck
}

// sighting is one time that a step was seen.
type sighting struct {
	name  string // "db COMMIT #2"
	phase wire.Phase
	point bool
}

// line is one connection of a link.
type line struct {
	link string
	conn int
}

// call is a step on its way, as its link tells it apart.
type call struct {
	link string
	conn int
	call int64
}

func newBoard(record func(history.Event)) *board {
	b := &board{record: record, idle: map[string]bool{}}
	b.clear()
	return b
}

func (b *board) clear() {
	b.counts, b.traces, b.calls = map[string]map[string]int{}, map[string][]sighting{}, map[call]string{}
	b.ours, b.hitAt = map[line]bool{}, 0
	b.op, b.hushed = nil, false
}

// watch makes the board the hook of all links and points; the result undoes it.
func (b *board) watch(sys System) (undo func()) {
	set := func(h wire.Hook) {
		for _, l := range sys.Links {
			l.Watch(h)
		}
		if sys.Points != nil {
			sys.Points.Watch(h)
		}
	}
	set(b.hook)
	return func() { set(nil) }
}

// begin records the steps of a case from now on.
func (b *board) begin(case_ string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	b.case_ = case_
	b.on.Store(true)
}

// end stops recording, takes back what is armed, and waits for what has struck.
func (b *board) end() {
	b.mu.Lock()
	b.on.Store(false)
	b.strikes = nil
	b.mu.Unlock()
	b.running.Wait()
}

// turn says which operation is under way; nil: none that is watched.
func (b *board) turn(op *live) {
	b.mu.Lock()
	b.op = op
	b.mu.Unlock()
}

// hush lets steps pass unseen until listen.
func (b *board) hush() { b.setHushed(true) }

// listen ends hush.
func (b *board) listen() { b.setHushed(false) }

func (b *board) setHushed(to bool) {
	b.mu.Lock()
	b.hushed = to
	b.mu.Unlock()
}

// learn watches for d while nothing is sent: what it sees is left out from now
// on, by its name.
func (b *board) learn(ctx context.Context, d time.Duration) error {
	b.begin("")
	b.mu.Lock()
	b.learns, b.idle = true, map[string]bool{}
	b.mu.Unlock()
	err := sleep(ctx, d)
	b.mu.Lock()
	b.learns = false
	b.mu.Unlock()
	b.end()
	return err
}

// leftOut are the names that were seen while nothing was sent.
func (b *board) leftOut() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.idle))
}

// moments are the moments of an operation in order: "db COMMIT", "db COMMIT #2".
func (b *board) moments(op *live) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return moments(b.traces[op.id])
}

// trace is all that was seen of an operation, in order.
func (b *board) trace(op *live) []sighting {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.traces[op.id])
}

// moments are the names of what was asked for.
func moments(trace []sighting) (names []string) {
	for _, s := range trace {
		if s.phase == wire.Before {
			names = append(names, s.name)
		}
	}
	return names
}

// hook is what all links and points call.
func (b *board) hook(s wire.Step) wire.Action {
	if !b.on.Load() {
		return wire.Pass
	}
	a := b.see(s)
	if a == nil {
		return wire.Pass
	}
	if a.always {
		return a.do(s)
	}
	defer b.running.Done()
	defer close(a.done)
	return a.do(s)
}

// see notes a step and finds what strikes at it.
func (b *board) see(s wire.Step) *armed {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.on.Load() || b.hushed || b.op == nil && !b.learns:
		return nil
	case b.learns:
		b.idle[s.Moment()] = true
		return nil
	case b.leaves(s):
		return nil
	}
	b.note(s)
	var hit *armed
	for _, a := range b.strikes { // all of them count the step
		if a.meets(s) && hit == nil {
			hit = a
		}
	}
	if hit != nil && !hit.always {
		b.strikes = slices.DeleteFunc(b.strikes, func(a *armed) bool { return a == hit })
		b.running.Add(1)
		b.hitAt = len(b.traces[b.op.id])
		close(hit.struck)
	}
	return hit
}

// leaves says whether a step is left out, since it comes while nothing is sent,
// too: unless it ends or goes on with what the operation did in its transaction.
func (b *board) leaves(s wire.Step) bool {
	at := line{s.Link, s.Conn}
	if b.idle[s.Moment()] && !(s.Within && b.ours[at]) {
		if !s.Within {
			delete(b.ours, at)
		}
		return true
	}
	b.ours[at] = s.Link != ""
	return false
}

// note records a step as a moment of the operation under way.
func (b *board) note(s wire.Step) {
	at := call{s.Link, s.Conn, s.Call}
	name := b.calls[at]
	if s.Phase == wire.Before || name == "" {
		if name = b.name(s); s.Link != "" {
			b.calls[at] = name
		}
	}
	if s.Phase == wire.After {
		delete(b.calls, at)
	}
	b.traces[b.op.id] = append(b.traces[b.op.id], sighting{name, s.Phase, s.Link == ""})
	b.record(history.Event{
		Kind: history.Moment, Name: name, Case: b.case_, Op: b.op.id, Scope: b.op.scope, Actor: actorOf(s), Attrs: momentAttrs(s),
	})
}

// name counts a step, and is its name within the operation.
func (b *board) name(s wire.Step) string {
	counts := b.counts[b.op.id]
	if counts == nil {
		counts = map[string]int{}
		b.counts[b.op.id] = counts
	}
	name := s.Moment()
	if counts[name]++; counts[name] > 1 {
		name = fmt.Sprintf("%s #%d", name, counts[name])
	}
	return name
}
