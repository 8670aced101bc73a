package property

import (
	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// Model is a system S beside a simple model M of it: where the system has tables
// and messages, the model has a number or a map, and does each operation once.
// Do, Next and Check are set, the other fields have useful zeros.
type Model[S, M, Op any] struct {
	// New makes a fresh system. What it sends through the run can be struck:
	// run.Client, run.Transport, inject.Call. Without it it is the zero value, what
	// a pointer points to included, or an empty map.
	New func(run *inject.Run) S

	// Begin is the model of a fresh system, made as by New without it.
	Begin func() M

	// Pre tells whether an operation makes sense now. Without it all do.
	Pre func(m M, op Op) bool

	// Do is one attempt of an operation under its id. An error may mean that it
	// was refused, or that its answer was lost: it is tried again under the same
	// id, five times in all, and refused if the last one is.
	Do func(s S, id string, op Op) error

	// Next is the model after an operation that was accepted. It may change m and
	// return it.
	Next func(m M, op Op) M

	// Check compares the two; an error says how they differ.
	Check func(s S, m M) error

	// Options are those of the run. Without Faults nothing strikes, and repeats
	// are those that Follows makes itself.
	Options inject.Options
}

// Follows checks that a system does what its model does, step by step: a drawn
// operation that Pre allows is done until it is accepted, or refused for good;
// now and then an earlier one is done once more under its id, which must change
// nothing; faults strike on the way. Check holds after each step, and once more
// when all late copies have come; rules, if there are any, hold of the history.
//
// It makes 30 steps on average (-rapid.steps). A failure shrinks to few of them.
func Follows[S, M, Op any](t rapid.TB, ops *rapid.Generator[Op], m Model[S, M, Op], rules ...checkers.Rule) {
	t.Helper()
	if m.Do == nil || m.Next == nil || m.Check == nil {
		t.Fatalf("property.Follows: a Model needs Do, Next and Check")
	}
	if len(rules) == 0 && m.Options.Expect == 0 {
		m.Options.Expect = -1 // nobody asks for effects: they are not waited for
	}
	failed := t.Failed // once rapid has found and shrunk a failure
	k, drawn := keep[Op](), rapid.Map(ops, func(op Op) named[Op] { return named[Op]{op} })
	struck(t, "Follows", m.Options, func(t *rapid.T, run *inject.Run) string {
		t.Helper()
		w := walk[S, M, Op]{model: m, ops: drawn, keeper: k, run: run, last: "the start", shrunk: failed}
		w.begin()
		t.Repeat(map[string]func(*rapid.T){"do": w.do, "again": w.again, "": w.check})
		h := onlyStruck(run.History())
		w.settle(t, h)
		switch {
		case len(w.done) == 0:
			return refused
		case len(rules) > 0:
			return judge(t, h, rules)
		}
		return ""
	})
}
