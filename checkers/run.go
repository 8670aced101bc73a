package checkers

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// runAll runs the rules at the same time; what they find is in their order.
// Rules over groups go through the groups block by block together, so that what
// one has looked at is at hand for the next.
func runAll(rules []Rule, groups []Group) []Violation {
	digestAll(groups)
	found := make([][][]Violation, parts(len(groups)))
	whole := make([][]Violation, len(rules))
	var wait sync.WaitGroup
	for i, r := range rules {
		if r.History != nil {
			wait.Go(func() { whole[i] = guarded(r, func() []Violation { return r.History(groups) }) })
		}
	}
	inParts(len(groups), func(part, from, to int) {
		found[part] = make([][]Violation, len(rules))
		for ; from < to; from += block {
			for i, r := range rules {
				if r.Group != nil {
					found[part][i] = append(found[part][i], over(r, groups[from:min(from+block, to)])...)
				}
			}
		}
	})
	wait.Wait()
	for i := range rules {
		for _, part := range found {
			whole[i] = append(whole[i], part[i]...)
		}
	}
	return slices.Concat(whole...)
}

const block = 256

func over(r Rule, groups []Group) []Violation {
	return guarded(r, func() (vs []Violation) {
		for i := range groups {
			vs = append(vs, r.Group(groups[i])...)
		}
		return vs
	})
}

// guarded catches a rule that panics: it has judged nothing.
func guarded(r Rule, judge func() []Violation) (vs []Violation) {
	defer func() {
		if p := recover(); p != nil {
			vs = append(vs, Violation{Rule: r.Name, Verdict: Inconclusive, Reason: fmt.Sprintf("The rule %s broke down: %v.", r.Name, p)})
		}
	}()
	return judge()
}

// parts is into how many parts n groups are cut: small histories are not worth it.
func parts(n int) int { return max(1, min(runtime.GOMAXPROCS(0), n/10_000)) }

// inParts does n things in parts at the same time.
func inParts(n int, do func(part, from, to int)) {
	p := parts(n)
	if p == 1 {
		do(0, 0, n)
		return
	}
	var wait sync.WaitGroup
	for i := range p {
		wait.Go(func() { do(i, n*i/p, n*(i+1)/p) })
	}
	wait.Wait()
}
