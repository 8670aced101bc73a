package checkers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// lockBounds looks at tokens alone: those of acquires that follow each other
// rise, no two are the same, and no write is taken under one that is lower than
// that of a write which had ended.
func lockBounds(_ holding, cs []command[Locking]) finding {
	given := answered(cs, "acquire")
	owner := map[int64]int{}
	for _, i := range given {
		if j, ok := owner[cs[i].do.Token]; ok {
			return misfits(fmt.Sprintf("token %d was given twice, to %s and to %s", cs[i].do.Token, cs[j].op, cs[i].op),
				"the token is made without the lock, or a repeat of another acquire was taken for this one.", i, j)
		}
		owner[cs[i].do.Token] = i
	}
	if i, j := falls(cs, given, 0); i >= 0 {
		return misfits(fmt.Sprintf("%s was given token %d after %d had been given", cs[i].op, cs[i].do.Token, cs[j].do.Token), "", i, j)
	}
	if i, j := falls(cs, answered(cs, "write"), 1); i >= 0 {
		return misfits(fmt.Sprintf("%s was taken after %s", cs[i].do, cs[j].do),
			"what the lock protects does not compare tokens, so a holder whose lease had run out wrote over its follower.", i, j)
	}
	return finding{}
}

// answered are the commands of one sort that were answered ok, by call.
func answered(cs []command[Locking], do string) (which []int) {
	for i := range cs {
		if cs[i].do.Do == do && cs[i].end == history.OK {
			which = append(which, i)
		}
	}
	return which
}

// falls finds a command whose token is less than one that had ended before it
// began (less by at least one, if equal ones are allowed).
func falls(cs []command[Locking], which []int, equal int64) (i, j int) {
	byEnd := slices.Clone(which)
	slices.SortFunc(byEnd, func(a, b int) int { return cmp.Compare(cs[a].ret, cs[b].ret) })
	highest, n := -1, 0
	for _, i := range which {
		for ; n < len(byEnd) && cs[byEnd[n]].ret < cs[i].call; n++ {
			if highest < 0 || cs[byEnd[n]].do.Token > cs[highest].do.Token {
				highest = byEnd[n]
			}
		}
		if highest >= 0 && cs[i].do.Token < cs[highest].do.Token+1-equal {
			return i, highest
		}
	}
	return -1, -1
}
