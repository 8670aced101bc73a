package traffic

import (
	"fmt"
	"slices"
	"strings"
)

// differs tells of pairs that were both accepted and show something else that is
// no id: those of one kind together.
func (j *judgement) differs(groups []*group) {
	for _, kind := range []sort{silent, otherState, mute} {
		all := group{sort: kind}
		for _, g := range groups {
			if g.sort == kind && !g.otherKey && !g.swapped {
				all.join(g)
			}
		}
		if all.n == 0 {
			continue
		}
		j.Differ += all.n
		j.untold += all.n
		if j.broke(&all, "verbatim", "remapped") {
			continue
		}
		switch {
		case kind == silent:
			j.find("silent", Unknown, &all, "accepted, and not told what the first was told (%s, then %s): a caller that lost that answer never learns its id.", all.how[0], all.how[1])
		case kind == otherState && slices.Equal(all.others, []string{placeOfIt}):
			j.find("state", Unknown, &all, "answered alike but for the Location, which is missing: a caller that lost the first answer does not learn where to find what was made.")
		case kind == otherState:
			j.find("state", Unknown, &all, "answered with other values (%s). That may be the current state; where it grows with each repeat it was done again.", few(all.others))
		default:
			j.find("differs", Unknown, &all, "answered in another way (%s, then %s), which says nothing of what was done.", all.how[0], all.how[1])
		}
	}
}

// placeOfIt is where a Location that is missing is told of.
const placeOfIt = "header location"

// join adds a group of the same sort.
func (g *group) join(o *group) {
	if g.n == 0 {
		g.statuses, g.how = o.statuses, o.how
	}
	g.n, g.keyed, g.overlapped = g.n+o.n, g.keyed+o.keyed, g.overlapped+o.overlapped
	g.reencoded = g.reencoded || o.reencoded
	g.err = o.err
	if g.example == nil {
		g.example = o.example
	}
	for _, where := range o.others {
		if !slices.Contains(g.others, where) {
			g.others = append(g.others, where)
		}
	}
}

// few names the first of many places.
func few(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
