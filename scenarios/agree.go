package scenarios

import (
	"slices"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// mostShuffled keeps the orders of a shuffle step to 24 rounds.
const mostShuffled = 4

// oneOfRounds keeps to one step that says how many rounds there are.
func oneOfRounds(steps strict.Value, p Plan) {
	n := 0
	for _, s := range p.Steps {
		if len(s.Offset) > 0 || s.Do == doShuffle {
			n++
		}
	}
	if n > 1 {
		steps.Errorf("only one step may have offsets or shuffle: each offset, and each order, is a round of the whole plan")
	}
}

// agree refuses steps that say different things of what one letter stands for.
func agree(steps strict.Value, p Plan) {
	all := map[string]Self{}
	for i, x := range steps.List() {
		for j, s := range append([]Step{p.Steps[i]}, p.Steps[i].Steps...) {
			r, err := parseRole(s.Role)
			if err != nil || s.Self == (Self{}) {
				continue
			}
			both, ok := all[r.op].with(s.Self)
			if all[r.op] = both; ok {
				continue
			}
			place := x
			if inner := slices.Concat(x.Field(doTogether).List(), x.Field(doShuffle).List()); j > 0 && j <= len(inner) {
				place = inner[j-1]
			}
			place.Errorf("another step says something else of what %s is: value, operation, key and id hold for all steps of a letter", r.op)
		}
	}
}

// joined refuses a settle while something that was started may still run: what
// is read then is not the end.
func joined(steps strict.Value, p Plan) {
	flying := false
	for i, x := range steps.List() {
		switch p.Steps[i].Do {
		case doStart:
			flying = true
		case doJoin:
			flying = false
		case doSettle:
			if flying {
				x.Errorf("what was started may still run: put  {join: all}  before")
			}
		}
	}
}
