package checkers

import (
	"slices"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// group joins operations of one case that carried the same key or have the same
// id: what an observer reports of one may be the other's.
func group(ops []history.Operation) [][]history.Operation {
	parent := make([]int32, len(ops))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	joined := false
	owner := make(map[string]int32, 2*len(ops))
	claim := func(space, name string, i int32) {
		if name == "" {
			return
		}
		if was, ok := owner[space+name]; !ok {
			owner[space+name] = i
		} else if a, b := find(was), find(i); a != b {
			parent[max(a, b)] = min(a, b)
			joined = true
		}
	}
	for i := range ops {
		claim("i", ops[i].ID, int32(i))
		last := ""
		for _, a := range ops[i].Attempts {
			if k := sentKey(&ops[i], a); k != last {
				claim("k", k, int32(i))
				last = k
			}
		}
	}
	return split(ops, find, joined)
}

func split(ops []history.Operation, find func(int32) int32, joined bool) [][]history.Operation {
	groups := make([][]history.Operation, 0, len(ops))
	if !joined {
		for i := range ops {
			groups = append(groups, ops[i:i+1:i+1])
		}
		return groups
	}
	at := map[int32]int{}
	for i := range ops {
		root := find(int32(i))
		n, ok := at[root]
		if !ok {
			n = len(groups)
			at[root] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], ops[i])
	}
	return groups
}

// frame makes the groups of one case, each with the observers that count for
// it and can be relied on.
type frame struct {
	header      *history.Header
	contract    *contract.Contract
	keyless     contract.Contract // what it says of operations that have no key
	measured    map[string]Calibration
	calibration map[string]Calibration // measured, or learnt from the run itself
	hooked      bool                   // the history was recorded in process
	ended       bool
	sighted     map[string]bool // observers that ever saw an effect of a name: "charge-row/charge"
	usable      map[string][]history.Observer
	blind       map[string][]string // by operation name: why observers are not relied on
}

func newFrame(h *history.History, x *index, c *contract.Contract, measured, known map[string]Calibration) *frame {
	f := &frame{header: &h.Header, contract: c, keyless: withoutKeys(*c), measured: measured, calibration: known, hooked: hooked(&h.Header), ended: x.ended,
		sighted: map[string]bool{}, usable: map[string][]history.Observer{}, blind: map[string][]string{}}
	for i := range x.ops {
		op := &x.ops[i]
		last := ""
		for _, e := range op.Effects {
			if e.Count > 0 && e.Name != last {
				last = e.Name
				f.sighted[e.Name+"/"+op.Name] = true
			}
		}
	}
	return f
}

// observers splits those of an operation into usable ones and reasons against
// the others. One that never saw anything proves nothing.
func (f *frame) observers(name string) ([]history.Observer, []string) {
	if us, ok := f.usable[name]; ok {
		return us, f.blind[name]
	}
	cal, calibrated := f.measured[name]
	us, blind := []history.Observer{}, []string(nil)
	for _, o := range f.idleHooks(observersOf(f.header.Observers, name), name) {
		switch {
		case calibrated && cal.Blind[o.Name] != "":
			blind = append(blind, cal.Blind[o.Name]+".")
		case o.Kind == hook && !f.sighted[o.Name+"/"+name]:
			blind = append(blind, unheard(&o, name))
		case !calibrated && !f.sighted[o.Name+"/"+name]:
			blind = append(blind, o.Name+" never showed an effect of "+name+": it may look in the wrong place.")
		default:
			us = append(us, o)
		}
	}
	f.usable[name], f.blind[name] = us, blind
	return us, blind
}

func (f *frame) groups(ops []history.Operation, entries []entry) []Group {
	parts := group(ops)
	gs := make([]Group, len(parts))
	for i, part := range parts {
		gs[i] = Group{Operations: part, Contract: f.contractOf(part), Calibration: f.calibration, ended: f.ended, hooked: f.hooked}
		gs[i].Observers = f.union(part)
		if len(parts) == len(ops) {
			gs[i].entry = &entries[i]
		}
	}
	return gs
}

// union are the observers that count for some operation of a group, and can be
// relied on for each that they count for.
func (f *frame) union(part []history.Operation) []history.Observer {
	us, _ := f.observers(part[0].Name)
	for i := 1; i < len(part); i++ {
		if part[i].Name != part[i-1].Name {
			return f.mixed(part)
		}
	}
	return us
}

func (f *frame) mixed(part []history.Operation) (us []history.Observer) {
	for _, o := range f.header.Observers {
		some, all := false, true
		for _, op := range part {
			if counts(&o, op.Name) {
				can, _ := f.observers(op.Name)
				some, all = true, all && slices.ContainsFunc(can, func(u history.Observer) bool { return u.Name == o.Name })
			}
		}
		if some && all {
			us = append(us, o)
		}
	}
	return us
}
