package checkers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// command is one command of a machine: an operation with all its attempts, or one
// attempt.
type command[C any] struct {
	do        C
	role      Role
	end       history.Kind
	call, ret int64 // places in the history; ret is forever where it is unknown
	op, scope string
	actor     string
	tries     int
}

// object is what is judged by itself.
type object[C any] struct {
	name     string
	commands []command[C] // by call
}

func (o *object[C]) called() string {
	if o.name == "" {
		return ""
	}
	return o.name + ": "
}

// gather reads the commands of a case.
func gather[S, C any](m Machine[S, C], gs []Group, read func(history.Attempt) (string, C, bool)) []object[C] {
	byName := map[string]*object[C]{}
	var names []string
	add := func(name string, c command[C]) {
		o, ok := byName[name]
		if !ok {
			o = &object[C]{name: name}
			byName[name], names = o, append(names, name)
		}
		o.commands = append(o.commands, c)
	}
	for i := range gs {
		for j := range gs[i].Operations {
			commandsOf(&m, &gs[i].Operations[j], read, add)
		}
	}
	objects := make([]object[C], 0, len(names))
	for _, name := range names {
		o := byName[name]
		slices.SortFunc(o.commands, func(a, b command[C]) int { return cmp.Compare(a.call, b.call) })
		objects = append(objects, *o)
	}
	return objects
}

// commandsOf are the commands of one operation: one for all its attempts, or one
// for each.
func commandsOf[S, C any](m *Machine[S, C], op *history.Operation, read func(history.Attempt) (string, C, bool), add func(string, command[C])) {
	for i := range op.Attempts {
		a := &op.Attempts[i]
		name, c, ok := read(*a)
		if !ok {
			continue
		}
		role := m.role(c)
		if role == Once {
			a = decisive(op)
			if name, c, ok = read(*a); ok {
				add(name, asOne(op, a, c))
			}
			return
		}
		if role == Look && a.Outcome() != history.OK {
			continue // it says nothing
		}
		add(name, command[C]{do: c, role: role, end: a.Outcome(), call: a.Begin.Seq, ret: returned(a), op: op.ID, scope: op.Scope, actor: a.Begin.Actor, tries: 1})
	}
}

// decisive is the attempt that says how an operation ended: the first that was
// answered ok, else the first of which nobody knows, else the first.
func decisive(op *history.Operation) *history.Attempt {
	if a := accepted(op); a != nil {
		return a
	}
	for i := range op.Attempts {
		if op.Attempts[i].Outcome() == history.Unknown {
			return &op.Attempts[i]
		}
	}
	return &op.Attempts[0]
}

// asOne is the command of an operation that should happen once, whatever came of
// its single attempts: between the first that was not refused and the first ok.
func asOne[C any](op *history.Operation, a *history.Attempt, do C) command[C] {
	c := command[C]{do: do, end: a.Outcome(), call: a.Begin.Seq, ret: returned(a), op: op.ID, scope: op.Scope, actor: a.Begin.Actor, tries: len(op.Attempts)}
	if c.end == history.Refused {
		return c
	}
	for _, b := range op.Attempts {
		if b.Outcome() != history.Refused {
			c.call = min(c.call, b.Begin.Seq)
		}
	}
	return c
}

func returned(a *history.Attempt) int64 {
	if a.Outcome() == history.Unknown {
		return forever
	}
	return a.End.Seq
}

// seqs are the places of the commands, the ends of those that are known.
func seqs[C any](cs []command[C], which []int) (all []int64) {
	for _, i := range which {
		all = append(all, cs[i].call)
		if cs[i].ret != forever {
			all = append(all, cs[i].ret)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// describe is a command for people.
func describe[C any](c *command[C]) string {
	text := fmt.Sprint(c.do)
	switch c.end {
	case history.Refused:
		text += " (refused)"
	case history.Unknown:
		text += " (unknown)"
	}
	return text
}
