package history

import "iter"

// Operations returns the operations in the order of their first attempt, with
// all that belongs to them:
//
//   - attempts are told apart by op, scope and number; an end whose invoke is
//     missing stands for both;
//   - effects and faults that name an op belong to it in their scope, and in
//     every scope if they name none;
//   - effects that name only a key belong to every operation that sent it;
//   - marks belong to their op, without one to all operations of their case.
//
// What names no known operation is left out. The events are those of h, not
// copies. Time and memory are linear in the number of events.
func (h History) Operations() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		j := joiner{events: h.Events, byID: make(map[string]int32, len(h.Events)/8)}
		j.attempts()
		j.others()
		for i := range j.ops {
			if !yield(j.ops[i].Operation) {
				return
			}
		}
	}
}

// joiner finds the operation of each event. Operations are numbered in the
// order of their first attempt.
type joiner struct {
	events []Event
	ops    []joined
	byID   map[string]int32        // the first operation of an id
	scoped map[identity]int32      // those of ids that occur in several scopes
	late   map[attemptNumber][]int // attempts that are not at the place of their number
	byKey  map[string]int32        // the first operation that sent a key
	shared map[string][]int32      // the others
	sent   map[keyOfOperation]bool // makes those unique
	marks  map[string][]*Event     // of a case, naming no operation
}

type joined struct {
	Operation
	sibling int32 // the next operation with the same id, 0 for none
	invokes int
}

type identity struct{ id, scope string }

type attemptNumber struct {
	op     int32
	number int
}

type keyOfOperation struct {
	key string
	op  int32
}

// find returns the operation of an id in a scope.
func (j *joiner) find(id, scope string) (op int32, ok bool) {
	op, ok = j.byID[id]
	if !ok || j.ops[op].Scope == scope {
		return op, ok
	}
	op, ok = j.scoped[identity{id, scope}]
	return op, ok
}

func (j *joiner) findOrAdd(e *Event) int32 {
	if op, ok := j.find(e.Op, e.Scope); ok {
		return op
	}
	op := int32(len(j.ops))
	j.ops = append(j.ops, joined{Operation: Operation{ID: e.Op, Name: e.Name, Scope: e.Scope, Case: e.Case}})
	first, ok := j.byID[e.Op]
	if !ok {
		j.byID[e.Op] = op
		return op
	}
	if j.scoped == nil {
		j.scoped = map[identity]int32{}
	}
	j.scoped[identity{e.Op, e.Scope}] = op
	j.ops[op].sibling = j.ops[first].sibling
	j.ops[first].sibling = op
	return op
}

// attempts numbers the operations and pairs the attempts with their ends.
func (j *joiner) attempts() {
	owner := make([]int32, len(j.events))
	invokes := 0
	for i := range j.events {
		e := &j.events[i]
		if e.Kind == Invoke || e.Kind.ends() {
			owner[i] = j.findOrAdd(e)
		}
		if e.Kind == Invoke {
			j.ops[owner[i]].invokes++
			invokes++
		}
	}
	room := make([]Attempt, invokes)
	for i := range j.ops {
		n := j.ops[i].invokes
		j.ops[i].Attempts, room = room[:0:n], room[n:]
	}
	for i := range j.events {
		if e := &j.events[i]; e.Kind == Invoke {
			j.begin(owner[i], e)
		}
	}
	for i := range j.events {
		if e := &j.events[i]; e.Kind.ends() {
			j.end(owner[i], e)
		}
	}
}

func (j *joiner) begin(op int32, e *Event) {
	o := &j.ops[op]
	o.Attempts = append(o.Attempts, Attempt{Begin: e})
	if place := len(o.Attempts); place != e.Attempt {
		if j.late == nil {
			j.late = map[attemptNumber][]int{}
		}
		id := attemptNumber{op, e.Attempt}
		j.late[id] = append(j.late[id], place-1)
	}
}

// end pairs an end with the first open attempt of its number. Most attempts
// stand at the place of their number; the others are looked up.
func (j *joiner) end(op int32, e *Event) {
	o := &j.ops[op]
	place := e.Attempt - 1
	if place < 0 || place >= len(o.Attempts) || o.Attempts[place].End != nil || o.Attempts[place].Begin.Attempt != e.Attempt {
		place = -1
	}
	id := attemptNumber{op, e.Attempt}
	if places := j.late[id]; len(places) > 0 && (place < 0 || places[0] < place) {
		place = places[0]
		j.late[id] = places[1:]
	}
	if place < 0 {
		o.Attempts = append(o.Attempts, Attempt{Begin: e, End: e})
		return
	}
	o.Attempts[place].End = e
}
