package checkers

import (
	"fmt"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
)

// Access is a command of a Register.
type Access struct {
	Write bool   // else it is a read
	Value string // what was written; of a read, what it was answered
}

// String is the command as failure texts show it.
func (a Access) String() string {
	if a.Write {
		return "write " + strconv.Quote(a.Value)
	}
	return "read " + strconv.Quote(a.Value)
}

// Register holds one value for each object, "" at first (or what Init says). A
// write takes effect at one moment, however often it is delivered, and a read
// shows the last one. Where all values that are written differ, every history is
// decided without a search, whatever is unknown.
var Register Machine[string, Access] = registerMachine()

func registerMachine() Machine[string, Access] {
	return Machine[string, Access]{
		Name: "register",
		Step: func(s string, a Access, end history.Kind) (string, bool) {
			switch {
			case end == history.Refused:
				return s, true
			case a.Write:
				return a.Value, true
			}
			return s, s == a.Value
		},
		Role: func(a Access) Role {
			if a.Write {
				return Once
			}
			return Look
		},
		bounds: registerBounds,
	}
}

// stay is all that is known of one value: the write and the reads that show it.
// It was there from first at the latest, when the write or a read of it had
// ended, until last at the earliest, when the last of them began. If first is
// earlier, it was there all that time; else it may have come and gone at any
// moment between last and first.
//
// A history has an order if no two values were there for sure at the same time,
// and none had to come and go while another one was there for sure (Gibbons and
// Korach, Testing shared memories, 1997).
type stay struct {
	value              string
	write              int // command; -1: it was there from the start
	read               bool
	first, last        int64
	firstIndex, latest int // the commands that say so
}

func registerBounds(init string, cs []command[Access]) finding {
	stays, f := staysOf(init, cs)
	if f.verdict != "" || stays == nil {
		return f
	}
	return collide(cs, stays)
}

// staysOf gathers the values. nil: two writes have the same value, and which of
// them a read shows is not known.
func staysOf(init string, cs []command[Access]) ([]*stay, finding) {
	at := map[string]*stay{init: {value: init, write: -1, firstIndex: -1, latest: -1}}
	all := []*stay{at[init]}
	for i := range cs {
		c := &cs[i]
		if !c.do.Write || c.end == history.Refused {
			continue
		}
		if at[c.do.Value] != nil {
			return nil, finding{}
		}
		s := &stay{value: c.do.Value, write: i, first: c.ret, last: c.call, firstIndex: i, latest: i}
		at[c.do.Value] = s
		all = append(all, s)
	}
	for i := range cs {
		c := &cs[i]
		if c.do.Write || c.end != history.OK {
			continue
		}
		s := at[c.do.Value]
		if s == nil {
			return nil, misfits(fmt.Sprintf("%s, which nobody wrote", c.do), "", i)
		}
		if s.write >= 0 && c.ret < cs[s.write].call {
			return nil, misfits(fmt.Sprintf("%s ended before anybody began to write it", c.do), "", i, s.write)
		}
		s.add(i, c)
	}
	kept := all[:0]
	for _, s := range all {
		if s.read || s.first != forever { // of what nobody saw nobody knows that it was there
			kept = append(kept, s)
		}
	}
	return kept, finding{}
}

func (s *stay) add(i int, c *command[Access]) {
	s.read = true
	if s.write >= 0 && c.ret < s.first {
		s.first, s.firstIndex = c.ret, i
	}
	if c.call > s.last {
		s.last, s.latest = c.call, i
	}
}
