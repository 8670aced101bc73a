package property

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// walk is one way through a model.
type walk[S, M, Op any] struct {
	model  Model[S, M, Op]
	ops    *rapid.Generator[named[Op]]
	keeper keeper[Op]
	run    *inject.Run

	s    S
	m    M
	done []sent[Op] // that was accepted
	lost []string   // ids of what was refused
	last string     // the last step, in words
	id   string     // its operation

	shrunk func() bool // the last time that a case runs: its text is what is read
}

// sent is an operation and its id.
type sent[Op any] struct {
	id string
	op Op
}

func (s sent[Op]) String() string { return show(s.op) + " (" + s.id + ")" }

// named is an operation that rapid prints as this package does.
type named[Op any] struct{ op Op }

// GoString is what rapid prints.
func (n named[Op]) GoString() string { return show(n.op) }

func (w *walk[S, M, Op]) begin() {
	w.s, w.m = made[S](), made[M]()
	if w.model.New != nil {
		w.s = w.model.New(w.run)
	}
	if w.model.Begin != nil {
		w.m = w.model.Begin()
	}
}

// do is the step that does a new operation.
func (w *walk[S, M, Op]) do(t *rapid.T) {
	t.Helper()
	s := sent[Op]{op: w.ops.Draw(t, "operation").op}
	if w.model.Pre != nil && !w.model.Pre(w.m, w.keeper.copy(s.op)) {
		t.Skip("not now")
	}
	for id := range w.run.IDs(1) {
		s.id = id
	}
	w.last, w.id = s.String(), s.id
	if err := w.try(s); err != nil {
		t.Logf("refused: %v", err)
		w.lost = append(w.lost, s.id)
		return
	}
	w.m = w.model.Next(w.m, w.keeper.copy(s.op))
	w.done = append(w.done, s)
}

// try is what a caller does until it has an answer.
func (w *walk[S, M, Op]) try(s sent[Op]) (err error) {
	const tries = 5
	for range tries {
		if err = w.model.Do(w.s, s.id, w.keeper.copy(s.op)); err == nil {
			return nil
		}
	}
	return err
}

// again is the step that does an earlier operation once more.
func (w *walk[S, M, Op]) again(t *rapid.T) {
	t.Helper()
	if len(w.done) == 0 {
		t.Skip("nothing was done yet")
	}
	s := w.done[rapid.IntRange(0, len(w.done)-1).Draw(t, "earlier")]
	w.last, w.id = "a repeat of "+s.String(), s.id
	_ = w.model.Do(w.s, s.id, w.keeper.copy(s.op)) // any answer will do
}

func (w *walk[S, M, Op]) check(t *rapid.T) {
	t.Helper()
	err := w.model.Check(w.s, w.m)
	if err == nil {
		return
	}
	if w.shrunk() {
		w.timeline(t)
	}
	t.Fatalf("property.Follows: after %s: %v", w.last, err)
}

// settle checks once more, when the late copies have come. Where one of them is
// of an operation that was refused nothing is certain: it may be accepted now.
func (w *walk[S, M, Op]) settle(t *rapid.T, h history.History) {
	t.Helper()
	for _, e := range h.Events {
		if e.Kind == history.Fault && e.Name == inject.Late.Name && slices.Contains(w.lost, e.Op) {
			return
		}
	}
	w.last, w.id = "the late copies", ""
	w.check(t)
}

// timeline logs what happened to the operation of the last step. It is not for
// every candidate of the shrinking: a history waits for effects that are missing.
func (w *walk[S, M, Op]) timeline(t *rapid.T) {
	t.Helper()
	h := w.run.History()
	for op := range h.Operations() {
		if op.ID == w.id {
			var b strings.Builder
			_ = history.Timeline(&b, op, nil) // a Builder takes all
			t.Logf("%s:\n%s", op.ID, strings.TrimRight(b.String(), "\n"))
		}
	}
}
