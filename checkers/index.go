package checkers

import (
	"cmp"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// index is a history sorted by operation. Events are referred to, not copied.
type index struct {
	ops       []history.Operation // in the order of their first attempt
	entries   []entry             // of ops
	marks     map[string][]*history.Event
	aged      []*history.Event // marks that age every key
	faults    map[caseFault]int
	attempts  int
	allFaults int
	ended     bool

	at      map[identity]int32
	byID    map[string][]int32
	byTry   map[try]int32 // attempts that are not at the place their number says
	observe map[string]history.Observer
}

type identity struct{ id, scope string }

type try struct {
	op     int32
	number int
}

type caseFault struct{ name, fault string }

func newIndex(h history.History) *index {
	x := &index{
		marks: map[string][]*history.Event{}, faults: map[caseFault]int{}, at: map[identity]int32{},
		byID: map[string][]int32{}, byTry: map[try]int32{}, observe: map[string]history.Observer{},
	}
	for _, o := range h.Header.Observers {
		x.observe[o.Name] = o
	}
	effects := 0
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind {
		case history.Invoke:
			x.begin(e)
		case history.OK, history.Refused, history.Unknown:
			x.end(e)
		case history.Effect:
			effects++
		}
	}
	keys := x.keys(effects > 0)
	for i := range h.Events {
		x.join(&h.Events[i], keys)
	}
	x.shareMarks()
	x.entries = make([]entry, len(x.ops))
	room := make([]slot, x.attempts)
	for i := range x.ops {
		x.entries[i] = entryOf(&x.ops[i], room[:0])
		room = room[len(x.entries[i].slots):]
	}
	return x
}

func (x *index) begin(e *history.Event) {
	x.attempts++
	who := identity{e.Op, e.Scope}
	n, ok := x.at[who]
	if !ok {
		n = int32(len(x.ops))
		x.at[who] = n
		x.byID[e.Op] = append(x.byID[e.Op], n)
		x.ops = append(x.ops, history.Operation{ID: e.Op, Name: e.Name, Scope: e.Scope, Case: e.Case})
	}
	op := &x.ops[n]
	op.Attempts = append(op.Attempts, history.Attempt{Begin: e})
	if e.Attempt != len(op.Attempts) {
		x.byTry[try{n, e.Attempt}] = int32(len(op.Attempts) - 1)
	}
}

// end joins the end of an attempt to its beginning. An end without one says
// nothing that a rule could use.
func (x *index) end(e *history.Event) {
	n, ok := x.at[identity{e.Op, e.Scope}]
	if !ok {
		return
	}
	as := x.ops[n].Attempts
	i := e.Attempt - 1
	if i < 0 || i >= len(as) || as[i].Begin.Attempt != e.Attempt {
		odd, ok := x.byTry[try{n, e.Attempt}]
		if !ok {
			return
		}
		i = int(odd)
	}
	if as[i].End == nil {
		as[i].End = e
	}
}

// keys maps each key to the operations that carried it.
func (x *index) keys(wanted bool) map[string][]int32 {
	if !wanted || !slices.ContainsFunc(mapValues(x.observe), func(o history.Observer) bool { return o.By == "key" }) {
		return nil
	}
	keys := map[string][]int32{}
	for n := range x.ops {
		last := ""
		for _, a := range x.ops[n].Attempts {
			k := sentKey(&x.ops[n], a)
			if k == "" || k == last {
				continue
			}
			last = k
			if l := keys[k]; len(l) == 0 || l[len(l)-1] != int32(n) {
				keys[k] = append(l, int32(n))
			}
		}
	}
	return keys
}

// sentKey is the key by which an observer may know the attempt.
func sentKey(op *history.Operation, a history.Attempt) string {
	if a.Begin.Key == "" {
		switch a.Begin.Attrs[history.AttrKeyless] {
		case "none":
			return op.ID
		case "derived":
			return "payload " + cmp.Or(raw(a.Begin), a.Begin.Payload)
		}
	}
	return a.Begin.Key
}

func (x *index) join(e *history.Event, keys map[string][]int32) {
	switch e.Kind {
	case history.Effect:
		x.joinEffect(e, keys)
	case history.Fault:
		again := e.Attrs[history.AttrAgain] == "true" // it was asked for once
		if !again {
			x.allFaults++
		}
		in := e.Case
		if l := x.byID[e.Op]; in == "" && len(l) > 0 {
			in = x.ops[l[0]].Case // a provider knows the operation only
		}
		if !again {
			x.faults[caseFault{in, e.Name}]++
		}
		for _, n := range x.byID[e.Op] {
			x.ops[n].Faults = append(x.ops[n].Faults, e)
		}
	case history.Moment:
		for _, n := range x.byID[e.Op] {
			x.ops[n].Moments = append(x.ops[n].Moments, e)
		}
	case history.Mark:
		x.joinMark(e)
	}
}

func (x *index) joinEffect(e *history.Event, keys map[string][]int32) {
	who := x.byID[e.Op]
	if x.observe[e.Name].By == "key" {
		who = keys[e.Key]
	}
	for _, n := range who {
		x.ops[n].Effects = append(x.ops[n].Effects, e)
	}
}

func (x *index) joinMark(e *history.Event) {
	switch {
	case e.Name == history.MarkEnd:
		x.ended = true
		return
	case e.Name == history.MarkAged && e.Op == "":
		x.aged = append(x.aged, e)
		return
	}
	if e.Op == "" {
		switch e.Name {
		case history.MarkCase, history.MarkArmed, history.MarkSkipped, history.MarkNote: // of no use to rules
		default:
			x.marks[e.Case] = append(x.marks[e.Case], e)
		}
		return
	}
	for _, n := range x.byID[e.Op] {
		if e.Scope == "" || e.Scope == x.ops[n].Scope {
			x.ops[n].Marks = append(x.ops[n].Marks, e)
		}
	}
}

// shareMarks gives each operation the marks of its case and those that concern
// every operation.
func (x *index) shareMarks() {
	shared := map[string][]*history.Event{}
	for n := range x.ops {
		op := &x.ops[n]
		common, ok := shared[op.Case]
		if !ok {
			common = slices.Clip(bySeq(append(slices.Clone(x.aged), x.marks[op.Case]...)))
			shared[op.Case] = common
		}
		if len(op.Marks) == 0 {
			op.Marks = common
		} else {
			op.Marks = bySeq(append(op.Marks, common...))
		}
	}
}

func bySeq(es []*history.Event) []*history.Event {
	slices.SortStableFunc(es, func(a, b *history.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return es
}

func mapValues(m map[string]history.Observer) (os []history.Observer) {
	for _, o := range m {
		os = append(os, o)
	}
	return os
}
