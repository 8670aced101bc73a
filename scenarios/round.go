package scenarios

import "slices"

// round is one time that the plan is carried out, on fresh operations.
type round struct {
	offset float64 // of its together step
	order  []int   // of its shuffle step
	spare  bool    // carried out only where too few of the others overlapped
}

// spares are how many rounds are carried out beyond the plan's own until enough have overlapped.
const spares = 3

// withSpares are the rounds, and those that a plan with a together step has to spare.
func (p Plan) withSpares() []round {
	rs := p.rounds()
	if slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Do == doTogether }) {
		for range spares {
			rs = append(rs, round{offset: rs[0].offset, spare: true})
		}
	}
	return rs
}

// rounds are one for each offset, or for each order of what is shuffled.
func (p Plan) rounds() []round {
	for _, s := range p.Steps {
		switch {
		case len(s.Offset) > 0:
			var rs []round
			for _, o := range s.Offset {
				rs = append(rs, round{offset: o})
			}
			return rs
		case s.Do == doShuffle:
			var rs []round
			for _, order := range orders(len(s.Steps)) {
				rs = append(rs, round{order: order})
			}
			return rs
		}
	}
	return []round{{}}
}

// orders are all permutations of 0 to n-1, the plain order last: what comes in
// order is the least likely to go wrong.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, rest := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(rest), at, n-1))
		}
	}
	return all
}
