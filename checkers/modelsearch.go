package checkers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/idemcheck/idemcheck/history"
)

// steps counts the steps of a machine, and guards what it does. Porcupine runs them on a
// goroutine of its own, where a panic would end the test binary.
type steps[S, C any] struct {
	machine *Machine[S, C]
	left    int
	broke   string // what it panicked with
}

func (m *Machine[S, C]) limit() int {
	if m.Limit > 0 {
		return m.Limit
	}
	return 300_000
}

func (m *Machine[S, C]) steps() *steps[S, C] { return &steps[S, C]{machine: m, left: m.limit()} }

func (st *steps[S, C]) over() bool { return st.left <= 0 || st.broke != "" }

// step is Step. A command that perhaps never happened is left out where it cannot
// have.
func (st *steps[S, C]) step(s S, c *command[C]) (next S, ok bool) {
	if st.over() {
		return s, false
	}
	st.left--
	defer st.guard()
	next, ok = st.machine.Step(s, c.do, c.end)
	if !ok && c.end == history.Unknown {
		return s, true
	}
	return next, ok
}

// guard keeps what the machine panicked with; nothing comes of that step.
func (st *steps[S, C]) guard() {
	if p := recover(); p != nil {
		st.broke = fmt.Sprint(p)
	}
}

// decide judges one object: by the machine's own bounds, by a guess, by a search.
func (m *Machine[S, C]) decide(o object[C]) finding {
	init := m.init(o.name)
	if m.bounds != nil {
		if f := m.bounds(init, o.commands); f.verdict != "" {
			return f
		}
	}
	st := m.steps()
	if guess(st, init, o.commands) {
		return fits()
	}
	if st.broke == "" {
		st = m.steps()
		result, info := porcupine.CheckOperationsVerbose(m.porcupine(st, init), operations(o.commands), 0)
		switch {
		case st.over():
		case result == porcupine.Ok:
			return fits()
		default:
			return unexplained(o.commands, info)
		}
	}
	if st.broke != "" {
		return unclear("the machine broke down: %s", st.broke)
	}
	f := unclear("whether an order explains its %d commands was not found out within %d steps", len(o.commands), m.limit())
	f.cause = "have fewer attempts end unknown, tell objects apart, or raise Machine.Limit."
	return f
}

// guess tries one order, that of the ends, and puts what is unknown, or still
// runs, where it helps. Most histories of sound systems are done with so.
func guess[S, C any](st *steps[S, C], s S, cs []command[C]) bool {
	var known []*command[C]
	var open []*command[C] // unknown, in the order of their calls
	for i := range cs {
		if cs[i].ret == forever {
			open = append(open, &cs[i])
		} else {
			known = append(known, &cs[i])
		}
	}
	slices.SortFunc(known, func(a, b *command[C]) int { return cmp.Compare(a.ret, b.ret) })
	for len(known) > 0 {
		c := known[0]
		known = known[1:]
		if next, ok := st.step(s, c); ok {
			s = next
			continue
		}
		var ok bool
		if s, open, ok = helped(st, s, c, open); ok {
			continue
		}
		if s, known, ok = helped(st, s, c, known); !ok {
			return false
		}
	}
	return !st.over()
}

// helped finds one command that makes c possible if it comes right before it.
func helped[S, C any](st *steps[S, C], s S, c *command[C], from []*command[C]) (S, []*command[C], bool) {
	for i, d := range from {
		if d.call > c.ret {
			continue
		}
		if before, ok := st.step(s, d); ok {
			if next, ok := st.step(before, c); ok {
				return next, slices.Delete(from, i, i+1), true
			}
		}
	}
	return s, from, false
}

// porcupine is the machine as porcupine wants it.
func (m *Machine[S, C]) porcupine(st *steps[S, C], init S) porcupine.Model {
	equal := m.equal()
	return porcupine.Model{
		Init: func() any { return init },
		Step: func(state, input, _ any) (bool, any) {
			s, _ := state.(S) // an interface may be nil
			next, ok := st.step(s, input.(*command[C]))
			return ok, next
		},
		Equal: func(a, b any) bool {
			defer st.guard()
			x, _ := a.(S)
			y, _ := b.(S)
			return equal(x, y)
		},
		DescribeOperation: func(input, _ any) string { return describe(input.(*command[C])) },
		DescribeState:     func(state any) string { return fmt.Sprint(state) },
	}
}

func operations[C any](cs []command[C]) []porcupine.Operation {
	clients := map[string]int{}
	ops := make([]porcupine.Operation, len(cs))
	for i := range cs {
		c := &cs[i]
		if _, ok := clients[c.actor]; !ok {
			clients[c.actor] = len(clients)
		}
		ops[i] = porcupine.Operation{ClientId: clients[c.actor], Input: c, Call: c.call, Return: c.ret, Metadata: c.op}
	}
	return ops
}

// unexplained names the first command that has no place in the longest order that
// there is.
func unexplained[C any](cs []command[C], info porcupine.LinearizationInfo) finding {
	placed := make([]bool, len(cs))
	for _, part := range info.PartialLinearizations() {
		longest := []int(nil)
		for _, order := range part {
			if len(order) > len(longest) {
				longest = order
			}
		}
		for _, i := range longest {
			placed[i] = true
		}
	}
	first := -1
	for i := range cs {
		if !placed[i] && cs[i].ret != forever && (first < 0 || cs[i].ret < cs[first].ret) {
			first = i
		}
	}
	if first < 0 { // each stands in some order, and all in none
		first = len(cs) - 1
	}
	return misfits(fmt.Sprintf("no order of its %d commands explains %s", len(cs), describe(&cs[first])), "", first)
}

// draw makes porcupine's picture.
func (m *Machine[S, C]) draw(o object[C], path string) error {
	st := m.steps()
	model := m.porcupine(st, m.init(o.name))
	_, info := porcupine.CheckOperationsVerbose(model, operations(o.commands), 0)
	st.left = m.limit() // the picture takes its steps again
	return porcupine.VisualizePath(model, info, path)
}
