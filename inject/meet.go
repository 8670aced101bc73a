package inject

import (
	"runtime"
	"time"
)

// meet waits at an effect until all attempts of the operation that run have come
// to theirs, or it is clear that they will not.
//
// The first of two cannot know whether the other is on its way or waits for a
// lock that the first one holds. So it looks at what the goroutines do: while
// the other moves it waits, and when nothing moves any more it goes on. A service
// that locks loses no time by that, and one that does not is found out however
// busy the machine is.
func (r *Run) meet(op *operation) { r.meetAt(op, true) }

// gather is meet at something that comes before the effect.
func (r *Run) gather(op *operation) { r.meetAt(op, false) }

func (r *Run) meetAt(op *operation, effect bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mine, w := op.meeting, (*watch)(nil)
	for op.waiting++; op.meeting == mine; {
		if op.waiting >= len(op.running) {
			op.meeting++
			op.waiting = 0
			op.change()
			return
		}
		if op.changed == nil {
			op.changed = make(chan struct{})
		}
		if w == nil {
			w = r.watch(op, effect)
		}
		changed := op.changed
		r.mu.Unlock()
		goOn := w.wait(changed)
		r.mu.Lock()
		if !goOn && op.meeting == mine {
			op.waiting--
			return
		}
	}
}

// How long an effect is held at the most for others that are on their way.
const (
	whileMoving  = time.Second           // they run, or could
	whileOutside = 5 * time.Millisecond  // they sleep, or wait for the network: at least so long
	whileOthers  = 50 * time.Millisecond // they stand, and others of the run move: at least so long
	manyWays     = 8                     // or so many times as long as the way to the effect
)

// watch is one goroutine that waits at an effect for others.
type watch struct {
	run   *Run
	op    *operation
	looks int
	begin time.Time
	way   time.Duration // from the beginning of an attempt to its effect
	least time.Duration // that others outside are waited for
	brief time.Duration // that others are who stand: perhaps at a lock of the driver
	few   int           // at least so many looks, too
}

// watch begins to wait. It is called with mu held.
func (r *Run) watch(op *operation, effect bool) *watch {
	w := &watch{run: r, op: op, begin: time.Now(), least: whileOutside}
	if !effect { // nothing is held yet that others might wait for
		w.least, w.brief, w.few = whileOthers, whileOutside, fewLooks
	}
	for _, a := range op.running {
		w.way = max(w.way, w.begin.Sub(a.began))
	}
	// A way may lead through a queue at a lock that is held for as long as others
	// are waited for: the fastest one of the run is what counts.
	if effect && (r.fastest == 0 || w.way < r.fastest) {
		r.fastest = max(w.way, 1)
	}
	if r.fastest > 0 {
		w.way = min(w.way, 4*r.fastest)
	}
	return w
}

// wait returns true when something has changed, and false when there is no point
// in waiting any longer.
func (w *watch) wait(changed <-chan struct{}) bool {
	for ; ; w.looks++ {
		if w.pause(changed) {
			return true
		}
		s := w.look()
		if s.bubble && s.idle {
			return w.sleep(changed)
		}
		if w.looks >= w.few && time.Since(w.begin) >= w.bound(s) || s.bubble && w.looks >= mostLooks {
			return false
		}
	}
}

// fewLooks take as long as whileOutside. They are counted, because a machine that is
// busy may take that long for one: a timer of the driver would get no time to end.
const fewLooks = 6

// mostLooks ends a wait in a bubble, where time stands still while something moves.
const mostLooks = 2000

// bound is for how long it is worth to wait for what was seen.
func (w *watch) bound(s sight) time.Duration {
	switch {
	case s.others == moving, s.unknown && s.kin == moving: // perhaps it is the one
		return whileMoving
	case s.others == outside, s.kin == outside:
		return max(w.least, manyWays*w.way)
	case s.kin == moving:
		return max(whileOthers, manyWays*w.way)
	}
	if s.others == locked {
		return w.brief
	}
	return max(w.brief, 2*w.way) // it may stand at a timer, as this one did
}

// pause lets others run for a little while, and reports a change.
func (w *watch) pause(changed <-chan struct{}) bool {
	const spins = 4 // as long as it is likely that a change comes at once
	if w.looks >= spins && !w.run.bubble {
		timer := time.NewTimer(time.Millisecond << min(w.looks-spins, 3))
		defer timer.Stop()
		select {
		case <-changed:
			return true
		case <-timer.C:
			return false
		}
	}
	begin := time.Now()
	for i := range 50 << min(w.looks, spins) {
		select {
		case <-changed:
			return true
		default:
		}
		if i%8 == 7 && time.Since(begin) > 20*time.Microsecond<<min(w.looks, spins) {
			break
		}
		runtime.Gosched()
	}
	return false
}

// sleep waits in a bubble in which all others stand: its clock then jumps to the
// next timer, theirs or this one.
func (w *watch) sleep(changed <-chan struct{}) bool {
	timer := time.NewTimer(max(w.least, manyWays*w.way) - time.Since(w.begin))
	defer timer.Stop()
	select {
	case <-changed:
		return true
	case <-timer.C:
		return false
	}
}
