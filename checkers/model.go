package checkers

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Machine is what a system should be, seen from outside: a state, and what each
// command does to it and is answered. S is the state, C a command with its
// answer. Ready ones are [Register], [Ledger], [Lock] and [Jobs].
//
// Commands may overlap. A history fits the machine if its commands can be put in
// one order, each at a moment between its beginning and its end, such that Step
// allows each of them.
type Machine[S, C any] struct {
	Name string // in failure texts

	// Init is the state of an object before anything happened; nil: the zero S.
	Init func(object string) S

	// Step is the state after a command, and whether the command could end so in
	// state s. Of a command that ended history.Unknown there is no answer, and
	// perhaps it never happened: Step says what it would do. Step must not change s.
	Step func(s S, c C, end history.Kind) (next S, ok bool)

	// Role tells how the attempts of an operation count; nil: all are Once.
	Role func(c C) Role

	// Equal compares states; nil: by ==, or by what they hold where S has no ==.
	Equal func(a, b S) bool

	// Limit is how many steps are tried for one object before the history is
	// inconclusive; 0: 300,000.
	Limit int

	// bounds decides without a search what it can; "" leaves it open.
	bounds func(init S, cs []command[C]) finding
}

// Role says how the attempts of an operation count as commands.
type Role int

// The roles. Once is what makes a model one of an idempotent system: a repeat
// that does its work again has no place in any order.
const (
	Once Role = iota // all attempts of one operation are one command: to write, to pay
	Each             // each attempt is a command of its own: to take a job
	Look             // likewise, and it changes nothing: to read
)

// Model fails the test if a history does not fit a machine. read tells what an
// attempt was: which object it concerned, since each is judged by itself, the
// command with its answer, and false if it is no command of the machine. Where
// Attempt.End is nil or unknown there is no answer to read.
//
// Cheap bounds decide first, then porcupine searches for an order. A search that
// comes to the machine's limit, and a machine or read that panics, are
// inconclusive, and so is a history in which no command could have told a
// mistake. On failure, a test that keeps its artefacts (go test -artifacts) keeps
// porcupine's picture.
func Model[S, C any](t TB, h history.History, m Machine[S, C], read func(history.Attempt) (object string, c C, ok bool)) {
	t.Helper()
	var found []misfit
	rule := m.rule(read, func(f misfit) { found = append(found, f) })
	r := Judge(h, contract.Contract{}, rule)
	if r.Verdict() == Pass {
		return
	}
	f := newFailure(h, r, []Rule{rule})
	picture := ""
	shown := func(m misfit) bool { return slices.Equal(m.witnesses, f.violations[0].Witnesses) }
	if i := slices.IndexFunc(found, shown); i >= 0 {
		f.detail = found[i].table
		picture = drawn(t, found[i].draw)
	}
	failTest(t, f.first(), f.rest()+picture+runAgain(t, h)+keep(t, h, []Rule{rule}))
}

// Rule makes the machine a rule for [Verify] and [Judge].
func (m Machine[S, C]) Rule(read func(history.Attempt) (object string, c C, ok bool)) Rule {
	return m.rule(read, func(misfit) {})
}

func (m Machine[S, C]) rule(read func(history.Attempt) (string, C, bool), found func(misfit)) Rule {
	name := m.Name
	if name == "" {
		name = "model"
	}
	return Rule{Name: name, model: true, Doc: "commands and their answers fit a " + name, History: func(gs []Group) []Violation {
		return m.judge(name, gather(m, gs, read), found)
	}}
}

// misfit is an object whose commands do not fit, for the text of the failure.
type misfit struct {
	witnesses []int64 // of its violation
	table     string
	draw      func(path string) error
}

func (m *Machine[S, C]) judge(name string, objects []object[C], found func(misfit)) (vs []Violation) {
	told := false
	for _, o := range objects {
		told = told || m.tells(o.commands)
		f := m.decide(o)
		switch f.verdict {
		case Fail:
			culprit, witnesses := o.commands[f.witnesses[0]], seqs(o.commands, f.witnesses)
			vs = append(vs, Violation{Rule: name, Verdict: Fail, Op: culprit.op, Scope: culprit.scope, Reason: o.called() + f.why + ".",
				Cause: f.cause, Witnesses: witnesses})
			found(misfit{witnesses, table(o.commands, f.witnesses), func(path string) error { return m.draw(o, path) }})
		case Inconclusive:
			vs = append(vs, Violation{Rule: name, Verdict: Inconclusive, Reason: o.called() + f.why + ".", Cure: f.cause})
		}
	}
	switch {
	case len(objects) == 0:
		vs = append(vs, Violation{Rule: name, Verdict: Inconclusive, Reason: name + " judged nothing: no attempt was a command of it.",
			Cure: "see that read knows the attempts of this history, and that all of them are recorded, reads too."})
	case !told:
		vs = append(vs, Violation{Rule: name, Verdict: Inconclusive, Reason: name + " judged nothing: no answer could have shown a mistake.",
			Cure: "look at the state between the writes, by attempts that are recorded too."})
	}
	return vs
}

// tells reports whether some answer could show a mistake: where there are looks
// and takes, it is they that do.
func (m *Machine[S, C]) tells(cs []command[C]) bool {
	for i := range cs {
		if cs[i].end == history.OK && (m.Role == nil || cs[i].role != Once) {
			return true
		}
	}
	return false
}

func (m *Machine[S, C]) role(c C) Role {
	if m.Role == nil {
		return Once
	}
	return m.Role(c)
}

func (m *Machine[S, C]) init(object string) (s S) {
	if m.Init == nil {
		return s
	}
	return m.Init(object)
}

func (m *Machine[S, C]) equal() func(a, b S) bool {
	switch {
	case m.Equal != nil:
		return m.Equal
	case reflect.TypeFor[S]().Comparable() && reflect.TypeFor[S]().Kind() != reflect.Interface:
		return func(a, b S) bool { return any(a) == any(b) }
	}
	return func(a, b S) bool { return reflect.DeepEqual(a, b) }
}

// finding is what was found out of one object.
type finding struct {
	verdict   Verdict // "": nothing yet
	why       string
	cause     string // likely, of a fail; what helps, where it is inconclusive
	witnesses []int  // commands, the one that shows it first
}

func fits() finding { return finding{verdict: Pass} }

func misfits(why, cause string, witnesses ...int) finding {
	return finding{verdict: Fail, why: why, cause: cause, witnesses: witnesses}
}

func unclear(format string, args ...any) finding {
	return finding{verdict: Inconclusive, why: fmt.Sprintf(format, args...)}
}
