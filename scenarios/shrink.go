package scenarios

import (
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// candidates are the plans that are simpler than p by one thing and still mean
// something, those that leave out most first.
func (e *explorer) candidates(p Plan) (all []Plan) {
	o := e.operation(p.Operation)
	seen := map[string]bool{p.print(): true}
	add := func(steps []Step) {
		steps = needed(steps)
		c := Plan{Name: p.Name, Operation: p.Operation, Steps: steps}
		text := c.print()
		if seen[text] || c.length() == 0 || c.cost() >= p.cost() {
			return
		}
		seen[text] = true
		read, err := Parse("plan", []byte(text))
		if err == nil && e.sys.senseless(read, o) == "" && e.sys.missing(read, o) == "" {
			all = append(all, read)
		}
	}
	for _, steps := range slices.Concat(halves(p.Steps), withoutLetters(p), withoutSteps(p.Steps), fewer(p.Steps)) {
		add(steps)
	}
	for i := range p.Steps {
		for _, s := range weaker(p.Steps[i]) {
			add(slices.Concat(p.Steps[:i], []Step{s}, p.Steps[i+1:]))
		}
	}
	slices.SortStableFunc(all, func(a, b Plan) int { return a.cost() - b.cost() })
	return all
}

// needed leaves out waiting for what was not started.
func needed(steps []Step) (kept []Step) {
	flying := false
	for _, s := range steps {
		if s.Do != doJoin || flying {
			kept = append(kept, s)
		}
		flying = s.Do == doStart || flying && s.Do != doJoin
	}
	return kept
}

// cost orders plans: fewer steps first, then fewer copies, rounds and faults.
func (p Plan) cost() (n int) {
	for _, s := range p.Steps {
		n += 1000 + s.cost()
		for _, x := range s.Steps {
			n += 40 + x.cost()
		}
	}
	return n
}

func (s Step) cost() int {
	n := 3*len(s.Offset) + 5*s.Replica + s.Count + s.Call + int(min(s.Amount.Exact+time.Duration(s.Amount.Times*float64(time.Second)), 100*time.Second)/(10*time.Millisecond))/10
	for _, has := range []bool{s.Fault.Name != "", s.Fault.Arg != "", s.Entry != "", s.Body != "", s.Self != Self{}, len(s.Role) > 1, s.Do == doRetry, s.Do == doStart} {
		if has {
			n += 10
		}
	}
	for _, o := range s.Offset {
		n += int(10 * o)
	}
	return n
}

// halves are the steps without their first half, their second, and the thirds.
func halves(steps []Step) (all [][]Step) {
	last := len(steps) - 1 // settling stays
	for _, parts := range []int{2, 3} {
		for i := range parts {
			from, to := last*i/parts, last*(i+1)/parts
			all = append(all, slices.Concat(steps[:from], steps[to:]))
		}
	}
	return all
}

// withoutLetters are the steps without those of one letter.
func withoutLetters(p Plan) (all [][]Step) {
	for _, letter := range slices.Compact(slices.Sorted(slices.Values(p.rolesInOrder()))) {
		of := func(s Step) bool {
			return slices.Contains((Plan{Steps: []Step{s}}).rolesInOrder(), letter)
		}
		var steps []Step
		for _, s := range p.Steps {
			if len(s.Steps) > 0 {
				s.Steps = slices.DeleteFunc(slices.Clone(s.Steps), of)
			}
			if !of(s) {
				steps = append(steps, s)
			}
		}
		all = append(all, steps)
	}
	return all
}

// withoutSteps leaves out one step, or what belongs together.
func withoutSteps(steps []Step) (all [][]Step) {
	for i, s := range steps {
		if s.Do == doSettle {
			continue
		}
		all = append(all, slices.Delete(slices.Clone(steps), i, i+1))
		j := slices.IndexFunc(steps[i+1:], func(o Step) bool {
			return s.Do == doStart && o.Do == doJoin || s.Do == doDown && o.Do == doUp || s.Do == doReadOnly && o.Do == doUp || s.Do == doArm && o.delivers() && o.Role == s.Role
		})
		if j >= 0 {
			all = append(all, slices.Delete(slices.Delete(slices.Clone(steps), i+1+j, i+2+j), i, i+1))
		}
	}
	return all
}

// fewer turns several steps into one that does the same.
func fewer(steps []Step) (all [][]Step) {
	for i, s := range steps {
		if s.Do != doStart {
			continue
		}
		j := slices.IndexFunc(steps[i:], func(o Step) bool { return o.Do == doJoin })
		k := slices.IndexFunc(steps[i+1:], func(o Step) bool { return o.Do == doSend })
		if j < 0 || k < 0 || i+1+k > i+j {
			continue
		}
		j, k = i+j, i+1+k
		first, second := s, steps[k]
		first.Do = doSend
		meet := Step{Do: doTogether, Steps: []Step{first, second}}
		all = append(all, slices.Concat(steps[:i], []Step{meet}, steps[j+1:]))
		all = append(all, slices.Concat(steps[:i], []Step{first, second}, steps[j+1:]))
	}
	return all
}

// weaker are simpler forms of one step.
func weaker(s Step) (all []Step) {
	add := func(change func(*Step)) {
		w := s
		w.Steps, w.Offset = slices.Clone(s.Steps), slices.Clone(s.Offset)
		change(&w)
		all = append(all, w)
	}
	add(func(w *Step) { w.Entry, w.Replica = "", 0 })
	add(func(w *Step) { w.Body = "" })
	add(func(w *Step) { w.Self = Self{} })
	if s.Do != doArm {
		add(func(w *Step) { w.Fault = inject.Fault{} })
	}
	add(func(w *Step) { w.Fault.Arg = "" })
	if s.Do == doRetry || s.Do == doStart {
		add(func(w *Step) { w.Do = doSend })
	}
	if r, err := parseRole(s.Role); err == nil && r.variant != "" && r.variant != "changed" {
		add(func(w *Step) { w.Role = r.who() + "/changed" })
	}
	for i := range s.Steps {
		add(func(w *Step) { w.Steps = slices.Delete(w.Steps, i, i+1) })
		for _, x := range weaker(s.Steps[i]) {
			add(func(w *Step) { w.Steps[i] = x })
		}
	}
	if s.Do == doTogether {
		add(func(w *Step) { w.Offset = nil })
		add(func(w *Step) { w.Offset = []float64{0, 0, 0} })
		add(func(w *Step) { w.Steps = w.Steps[:min(2, len(w.Steps))] })
	}
	if s.Count > 1 {
		add(func(w *Step) { w.Count /= 4 })
		add(func(w *Step) { w.Count /= 2 })
		add(func(w *Step) { w.Count-- })
	}
	return all
}
