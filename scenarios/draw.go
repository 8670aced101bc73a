package scenarios

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// drawer draws one plan. It draws with a generator of its own from (seed, number):
// a plan is a pure function of these two and of what the system can do, whatever
// was found before and however fast. Generators made for `go test` would bring
// their engine along, and shrink by drawing anew: here a candidate costs a live run,
// so plans are cut down as they are.
type drawer struct {
	*rand.Rand
	sys   System
	op    Operation
	words func(Step) bool // whether the operation shows the moment that an arm means; nil: it shows none
	used  []string        // roles that were delivered, in order
	steps []Step
}

// mostWait bounds what one drawn plan waits in all: long ones are few plans.
const mostWait = 4 * time.Second

// draw draws the plan of a number for an operation.
func draw(sys System, op Operation, seed uint64, number int, words func(Step) bool) Plan {
	d := drawer{Rand: rand.New(rand.NewPCG(seed, uint64(number))), sys: sys, op: op, words: words}
	for range 1 + d.pick(4, 4, 2, 1) {
		d.gesture()
	}
	d.ending()
	return withName(Plan{Operation: op.Name, Steps: d.steps}, fmt.Sprintf("drawn-%d", number))
}

// withName gives a plan its name, and makes it one that was read.
func withName(p Plan, name string) Plan {
	p.Name = name
	p.Source = p.print()
	return p
}

// pick is the place of a weight, as often as it weighs.
func (d *drawer) pick(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := d.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return 0
}

// gesture draws one of the gestures that make sense here. Some always do.
func (d *drawer) gesture() {
	var weights []int
	for _, g := range gestures {
		weights = append(weights, g.weight)
	}
	for {
		was := d.used
		steps := gestures[d.pick(weights...)].steps(d)
		if d.fits(append(slices.Clone(d.steps), steps...)) && len(steps) > 0 {
			d.steps = append(d.steps, steps...)
			return
		}
		d.used = was
	}
}

// fits says whether the steps can be carried out on the operation: what makes no
// sense for it, or lacks a line of the configuration, is not drawn.
func (d *drawer) fits(steps []Step) bool {
	p := Plan{Steps: steps}
	var waits time.Duration
	for _, a := range p.amounts() {
		waits += d.sys.length(a, 0)
	}
	rounds := 0
	for _, s := range steps {
		if len(s.Offset) > 0 || s.Do == doShuffle {
			rounds++
		}
		if at := s.site(); s.Do == doArm && at != inject.SiteProvider && (d.words == nil || !d.words(s)) {
			return false
		}
	}
	most := mostWait
	if p.alone() && !p.touches() { // all others wait meanwhile
		most = mostWait / 8
	}
	return rounds < 2 && waits <= most && d.sys.senseless(p, d.op) == "" && d.sys.missing(p, d.op) == ""
}

// ending retries what was sent, most of the time, and settles.
func (d *drawer) ending() {
	for _, role := range d.used {
		if d.IntN(4) > 0 {
			d.steps = append(d.steps, Step{Do: doRetry, Role: role})
		}
	}
	d.steps = append(d.steps, Step{Do: doSettle, Role: "all"})
}

// old is a role that was sent before, else a new one.
func (d *drawer) old() string {
	if len(d.used) == 0 {
		return d.fresh()
	}
	return d.used[d.IntN(len(d.used))]
}

// any is a role that was sent before more often than a new one.
func (d *drawer) any() string {
	if d.IntN(3) == 0 {
		return d.fresh()
	}
	return d.old()
}

// fresh is a role of which nothing was sent yet.
func (d *drawer) fresh() string {
	role := d.letter()
	d.used = append(slices.Clip(d.used), role)
	return role
}

// letter is the next that no step has.
func (d *drawer) letter() string {
	letters := map[string]bool{}
	for _, text := range d.used {
		r, _ := parseRole(text)
		letters[r.op] = true
	}
	for _, r := range (Plan{Steps: d.steps}).roles() {
		letters[r.op] = true
	}
	for l := 'a'; l < 'z'; l++ {
		if !letters[string(l)] {
			return string(l)
		}
	}
	return "z"
}

func one[T any](d *drawer, of ...T) T { return of[d.IntN(len(of))] }
