package scenarios

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// deck draws the plans of one operation: the gestures that make sense for it are
// shuffled, and each plan takes the next few. So none is left out for long, and
// any of them may come together.
//
// Plan n is a pure function of (seed, operation, n) and of what the system can do,
// whatever was found before and however fast. Generators made for `go test` would
// bring their engine along, and shrink by drawing anew: here a candidate costs a
// live run, so plans are cut down as they are.
type deck struct {
	sys   System
	op    Operation
	seed  [2]uint64
	words func(Step) bool // whether the operation shows the moment that an arm means; nil: it shows none
	cards []gesture
}

// perPlan is how many gestures make a plan.
const perPlan = 4

// newDeck leaves out what makes no sense for an operation, or lacks a line of the configuration.
func newDeck(sys System, op Operation, seed uint64, words func(Step) bool) deck {
	h := fnv.New64a()
	fmt.Fprint(h, op.Name)
	k := deck{sys: sys, op: op, seed: [2]uint64{seed, h.Sum64()}, words: words}
	for _, g := range gestures() {
		d := k.drawer(0)
		if steps := g(&d); len(steps) > 0 && d.fits(steps) {
			k.cards = append(k.cards, g)
		}
	}
	return k
}

// drawer draws one plan.
type drawer struct {
	*rand.Rand
	deck
	used  []string // roles that were delivered, in order
	steps []Step
}

func (k deck) drawer(number int) drawer {
	return drawer{Rand: rand.New(rand.NewPCG(k.seed[0]+uint64(number)<<32, k.seed[1])), deck: k}
}

// plan draws the plan of a number, from 0.
func (k deck) plan(number int) Plan {
	d := k.drawer(number + 1)
	for i := range perPlan {
		d.gesture(k.card(number*perPlan + i))
	}
	d.ending()
	return withName(Plan{Operation: k.op.Name, Steps: d.steps}, fmt.Sprintf("drawn-%d", number))
}

// card is the nth that is dealt: when all were, they are shuffled anew.
func (k deck) card(n int) gesture {
	round := uint64(n / len(k.cards))
	order := rand.New(rand.NewPCG(k.seed[0], k.seed[1]+round)).Perm(len(k.cards))
	return k.cards[order[n%len(k.cards)]]
}

// gesture adds one, unless it does not go with those before.
func (d *drawer) gesture(g gesture) {
	was := d.used
	steps := g(d)
	if all := slices.Concat(d.steps, steps); len(steps) > 0 && d.fits(all) {
		d.steps = all
		return
	}
	d.used = was
}

// withName gives a plan its name, and makes it one that was read.
func withName(p Plan, name string) Plan {
	p.Name = name
	p.Source = p.print()
	return p
}

// mostWait bounds what one drawn plan waits in all: long ones are few plans.
const mostWait = 4 * time.Second

// fits says whether the steps can be carried out on the operation.
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
	waits *= time.Duration(len(p.rounds())) // each is the whole plan once more
	return rounds < 2 && waits <= mostWait && d.sys.senseless(p, d.op) == "" && d.sys.missing(p, d.op) == ""
}

// ending retries what was sent, most of the time, and settles.
func (d *drawer) ending() {
	for _, role := range d.used {
		if d.IntN(2) > 0 {
			d.steps = append(d.steps, Step{Do: doRetry, Role: role})
		}
	}
	if len(d.steps) == 0 {
		d.steps = []Step{send(d.fresh())}
	}
	d.steps = append(d.steps, Step{Do: doSettle, Role: "all"})
}

// any is a new role, or one that was sent before.
func (d *drawer) any() string {
	if len(d.used) == 0 || d.IntN(3) > 0 {
		return d.fresh()
	}
	return d.used[d.IntN(len(d.used))]
}

// fresh is a role of which nothing was sent yet.
func (d *drawer) fresh() string {
	role := d.letter()
	d.used = append(slices.Clip(d.used), role)
	return role
}

// three are new roles that no other gesture repeats.
func (d *drawer) three() (a, b, c string) {
	was := d.used
	a, b, c = d.fresh(), d.fresh(), d.fresh()
	d.used = was
	return a, b, c
}

// letter is the next that no step has.
func (d *drawer) letter() string {
	taken := append((Plan{Steps: d.steps}).rolesInOrder(), d.used...)
	for l := 'a'; l < 'z'; l++ {
		if !slices.Contains(taken, string(l)) {
			return string(l)
		}
	}
	return "z"
}

func one[T any](d *drawer, of ...T) T { return of[d.IntN(len(of))] }
