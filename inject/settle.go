package inject

import "time"

// How long History waits for effects that come after the answers, as those of a
// background worker do.
const (
	whileMissing = 250 * time.Millisecond // an accepted operation has none, and nothing of the run moves
	whileWorking = time.Second            // something moves, or effects did come late
	whileBubble  = 10 * time.Second       // in a bubble, whose clock jumps
	quietFor     = 10 * time.Millisecond  // nothing new for so long, where effects came late
)

// settle waits until each accepted operation has its effects, and until no more
// come where some came after the answers.
func (r *Run) settle() {
	begin := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		s := r.unsettled()
		if !s.missing && s.quiet() {
			return
		}
		if r.patience(s, begin) <= 0 {
			return
		}
		time.Sleep(pause)
	}
}

// unsettled is what History may have to wait for.
type unsettled struct {
	missing bool          // an accepted operation has too few effects
	slowest time.Duration // how long after the answer an effect came; 0: none did
	last    time.Time     // when the last of those came
}

// quiet reports whether no more late effects are to be expected.
func (s unsettled) quiet() bool {
	return s.slowest == 0 || time.Since(s.last) >= max(quietFor, 3*s.slowest)
}

func (r *Run) unsettled() unsettled {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := unsettled{slowest: r.slowest, last: r.lastLate}
	if r.options.Expect < 0 {
		return s
	}
	for _, op := range r.ops {
		for _, hook := range r.observers() {
			s.missing = s.missing || op.accepted && op.effects[hook] < max(1, r.options.Expect)
		}
	}
	return s
}

// patience is for how much longer it is worth to wait.
func (r *Run) patience(s unsettled, begin time.Time) time.Duration {
	bound, kin := whileMissing, (&watch{run: r, op: &operation{}}).look().kin
	switch {
	case r.bubble && kin == locked:
		return 0 // its clock stands
	case r.bubble:
		bound = whileBubble
	case s.slowest > 0, kin != still:
		bound = max(whileWorking, 3*s.slowest)
	}
	return bound - time.Since(begin)
}

// accepted notes that an attempt was.
func (r *Run) accepted(op *operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	op.accepted, op.answer = true, time.Now()
}

// cameLate notes how long after its answer an effect came. It is called with mu held.
func (r *Run) cameLate(op *operation) {
	if op.accepted && len(op.running) == 0 {
		r.lastLate = time.Now()
		r.slowest = max(r.slowest, r.lastLate.Sub(op.answer), 1)
	}
}
