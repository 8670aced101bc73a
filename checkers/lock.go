package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// Locking is a command of a Lock.
type Locking struct {
	Do    string // "acquire", "release", or "write": a write to what the lock protects
	Token int64  // the fencing token: that an acquire was answered with, that another command showed
	Lease bool   // the lock may have run out by itself in the meantime
}

// String is the command as failure texts show it.
func (l Locking) String() string {
	if l.Token == 0 {
		return l.Do
	}
	return fmt.Sprintf("%s %d", l.Do, l.Token)
}

// holding is the state of a lock and of what it protects.
type holding struct {
	held   bool
	hidden bool  // under a token that nobody knows
	token  int64 // the last that was given
	fence  int64 // the highest that was written under
}

// Lock is a lock with fencing tokens. It is held by one at a time, unless its
// leases run out; each acquire gets a higher token than all before it, however
// often it is delivered; and what it protects takes no write under a token that
// is lower than one it has seen.
var Lock Machine[holding, Locking] = lockMachine()

func lockMachine() Machine[holding, Locking] {
	return Machine[holding, Locking]{
		Name: "lock",
		Step: func(s holding, l Locking, end history.Kind) (holding, bool) {
			no := end == history.Refused
			switch l.Do {
			case "acquire":
				return s.acquire(l, end)
			case "release":
				if no {
					return s, l.Lease || s.hidden || !s.by(l.Token)
				}
				if s.by(l.Token) { // else by one who holds it no more
					s.held, s.hidden = false, false
				}
				return s, true
			case "write":
				if no {
					return s, l.Lease || s.hidden || !s.by(l.Token)
				}
				ok := s.fence <= l.Token && l.Token <= s.token
				s.fence = l.Token
				return s, ok
			}
			panic(fmt.Sprintf("Locking.Do is %q: want acquire, release or write", l.Do))
		},
		bounds: lockBounds,
	}
}

// by reports whether it is held under a token.
func (s holding) by(token int64) bool { return s.held && s.token == token }

func (s holding) acquire(l Locking, end history.Kind) (holding, bool) {
	switch {
	case end == history.Refused:
		return s, s.held || l.Lease
	case s.held && !l.Lease:
		return s, false
	case end == history.Unknown:
		s.held, s.hidden = true, true
		return s, true
	case l.Token <= s.token:
		return s, false
	}
	return holding{held: true, token: l.Token, fence: s.fence}, true
}
