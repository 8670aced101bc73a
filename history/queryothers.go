package history

import (
	"cmp"
	"slices"
)

// others joins what is no attempt, and puts everything into order.
func (j *joiner) others() {
	keyed := false
	for i := range j.events {
		e := &j.events[i]
		switch {
		case e.Kind == Effect && e.Op == "" && e.Key != "":
			if !keyed {
				j.keys()
				keyed = true
			}
			j.ofKey(e)
		case e.Kind == Mark && e.Op == "" && e.Case != "":
			if j.marks == nil {
				j.marks = map[string][]*Event{}
			}
			j.marks[e.Case] = append(j.marks[e.Case], e)
		case e.Op != "" && (e.Kind == Effect || e.Kind == Fault || e.Kind == Moment || e.Kind == Mark):
			j.ofID(e)
		}
	}
	for i := range j.ops {
		o := &j.ops[i]
		o.Marks = merge(o.Marks, j.marks[o.Case])
		if len(o.Attempts) != o.invokes { // an end without its invoke
			slices.SortStableFunc(o.Attempts, func(a, b Attempt) int { return cmp.Compare(a.Begin.Seq, b.Begin.Seq) })
		}
	}
}

// keys notes which operations sent which key.
func (j *joiner) keys() {
	j.byKey = make(map[string]int32, len(j.ops))
	for op := range j.ops {
		last := ""
		for _, a := range j.ops[op].Attempts {
			if key := a.Begin.Key; key != last {
				j.addKey(key, int32(op))
				last = key
			}
		}
	}
}

func (j *joiner) addKey(key string, op int32) {
	first, ok := j.byKey[key]
	id := keyOfOperation{key, op}
	switch {
	case key == "" || ok && first == op:
	case !ok:
		j.byKey[key] = op
	case !j.sent[id]:
		if j.sent == nil {
			j.sent, j.shared = map[keyOfOperation]bool{}, map[string][]int32{}
		}
		j.sent[id] = true
		j.shared[key] = append(j.shared[key], op)
	}
}

func (j *joiner) ofKey(e *Event) {
	first, ok := j.byKey[e.Key]
	if !ok {
		return
	}
	j.join(first, e)
	for _, op := range j.shared[e.Key] {
		j.join(op, e)
	}
}

func (j *joiner) ofID(e *Event) {
	if e.Scope != "" {
		if op, ok := j.find(e.Op, e.Scope); ok {
			j.join(op, e)
		}
		return
	}
	op, ok := j.byID[e.Op]
	for ok {
		j.join(op, e)
		op = j.ops[op].sibling
		ok = op != 0
	}
}

// join adds e to an operation, unless e names another scope.
func (j *joiner) join(op int32, e *Event) {
	o := &j.ops[op]
	if e.Scope != "" && e.Scope != o.Scope {
		return
	}
	switch e.Kind {
	case Effect:
		o.Effects = append(o.Effects, e)
	case Fault:
		o.Faults = append(o.Faults, e)
	case Moment:
		o.Moments = append(o.Moments, e)
	default:
		o.Marks = append(o.Marks, e)
	}
}

// merge joins an operation's own marks and those of its case in order of
// recording. Where it has none of its own, the case's are shared, not copied.
func merge(own, shared []*Event) []*Event {
	switch {
	case len(own) == 0:
		return slices.Clip(shared)
	case len(shared) == 0:
		return own
	}
	all := slices.Concat(own, shared)
	slices.SortStableFunc(all, func(a, b *Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}
