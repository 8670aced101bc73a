package scenarios

import (
	"slices"

	"github.com/idemcheck/idemcheck/inject/wire"
)

// strike is one thing that happens once, at a moment.
type strike struct {
	moment string                      // "db COMMIT", "after-effect"
	match  func(wire.Step) bool        // in place of moment: a step of that phase that it is true of
	nth    int                         // which of those since it was armed; 0: the first
	phase  wire.Phase                  // before it is delivered, or after it was done
	always bool                        // it strikes at each of them until it is taken back, and takes no time
	do     func(wire.Step) wire.Action // may take its time; nothing else is held up meanwhile
}

// armed is a strike that waits for its moment.
type armed struct {
	strike
	board  *board
	seen   int
	calls  map[call]bool // After: those that are the nth
	struck chan struct{} // closed when do begins
	done   chan struct{} // closed when it has ended
}

// arm makes s wait for its moment. It strikes once.
func (b *board) arm(s strike) *armed {
	a := &armed{strike: s, board: b, calls: map[call]bool{}, struck: make(chan struct{}), done: make(chan struct{})}
	a.nth = max(1, a.nth)
	b.mu.Lock()
	b.strikes = append(b.strikes, a)
	b.mu.Unlock()
	return a
}

// fired says whether the moment came.
func (a *armed) fired() bool {
	select {
	case <-a.struck:
		return true
	default:
		return false
	}
}

// wait returns when what a has begun has ended, at once if it has not struck.
func (a *armed) wait() {
	if a.fired() {
		<-a.done
	}
}

// disarm takes a back, and waits for it if it has struck.
func (a *armed) disarm() {
	a.board.mu.Lock()
	a.board.strikes = slices.DeleteFunc(a.board.strikes, func(o *armed) bool { return o == a })
	a.board.mu.Unlock()
	a.wait()
}

// meets says whether a strikes at s.
func (a *armed) meets(s wire.Step) bool {
	if a.match != nil {
		if s.Phase == a.phase && a.match(s) {
			a.seen++
			return a.always || a.seen == a.nth
		}
		return false
	}
	return a.moment == s.Moment() && a.meetsNth(s)
}

// meetsNth counts steps when they are asked for: their answers may come in another order.
func (a *armed) meetsNth(s wire.Step) bool {
	at := call{s.Link, s.Conn, s.Call}
	if s.Phase == wire.After {
		return a.phase == wire.After && a.calls[at]
	}
	if a.seen++; a.seen != a.nth {
		return false
	}
	a.calls[at] = a.phase == wire.After
	return a.phase == wire.Before
}
