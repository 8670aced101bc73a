package checkers

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/idemcheck/idemcheck/history"
)

// flow is what moves on one account, in the order of some place, with sums.
type flow struct {
	places []int64
	in     []int64 // up to and with each
	out    []int64
}

type movement struct{ place, amount int64 }

func newFlow(ms []movement) (f flow) {
	slices.SortFunc(ms, func(a, b movement) int { return cmp.Compare(a.place, b.place) })
	in, out := int64(0), int64(0)
	for _, m := range ms {
		in += max(0, m.amount)
		out += min(0, m.amount)
		f.places, f.in, f.out = append(f.places, m.place), append(f.in, in), append(f.out, out)
	}
	return f
}

// before is what came and went before a place.
func (f *flow) before(place int64) (in, out int64) {
	i := sort.Search(len(f.places), func(i int) bool { return f.places[i] >= place }) - 1
	if i < 0 {
		return 0, 0
	}
	return f.in[i], f.out[i]
}

// ledgerBounds holds each look against what must, and what may, have been posted:
// all that had ended before it began, and of what had begun before it ended all
// that comes in, or all that goes out.
func ledgerBounds(init map[string]int64, cs []command[Posting]) finding {
	done, begun := map[string][]movement{}, map[string][]movement{}
	for i := range cs {
		c := &cs[i]
		if c.do.Look != "" || c.end == history.Refused {
			continue
		}
		add := func(account string, amount int64) {
			begun[account] = append(begun[account], movement{c.call, amount})
			if c.end == history.OK {
				done[account] = append(done[account], movement{c.ret, amount})
			}
		}
		add(c.do.From, -c.do.Amount)
		add(c.do.To, c.do.Amount)
	}
	ended, started := map[string]flow{}, map[string]flow{}
	for account := range begun {
		ended[account], started[account] = newFlow(done[account]), newFlow(begun[account])
	}
	for i := range cs {
		c := &cs[i]
		if c.do.Look == "" || c.end != history.OK {
			continue
		}
		e, s := ended[c.do.Look], started[c.do.Look]
		mustIn, mustOut := e.before(c.call)
		mayIn, mayOut := s.before(c.ret)
		least, most := init[c.do.Look]+mustIn+mayOut, init[c.do.Look]+mayIn+mustOut
		if b := c.do.Balance; b < least || b > most {
			return misfits(fmt.Sprintf("%s, and only %s can be", c.do, fromTo(least, most)), whyOff(b > most), i)
		}
	}
	return finding{}
}

func fromTo(least, most int64) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func whyOff(much bool) string {
	if much {
		return "something was posted to the account twice, or what should have left it was not."
	}
	return "something was posted from the account twice, or what should have come was lost."
}
