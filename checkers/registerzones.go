package checkers

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// collide finds two values that cannot both have been where their reads and
// writes put them.
func collide(cs []command[Access], stays []*stay) finding {
	var sure, loose []*stay
	for _, s := range stays {
		if s.first < s.last {
			sure = append(sure, s)
		} else {
			loose = append(loose, s)
		}
	}
	slices.SortFunc(sure, func(a, b *stay) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(sure); i++ {
		if a, b := sure[i-1], sure[i]; b.first < a.last {
			return again(cs, a, b)
		}
	}
	for _, b := range loose {
		// The only sure one that could enclose it is the last that begins before.
		i := sort.Search(len(sure), func(i int) bool { return sure[i].first > b.last }) - 1
		if i >= 0 && b.first < sure[i].last {
			return again(cs, sure[i], b)
		}
	}
	return fits()
}

// again tells of a value that was seen once more after another one had come.
func again(cs []command[Access], a, b *stay) finding {
	late := a.latest
	witnesses := []int{late}
	for _, i := range []int{a.write, a.firstIndex, b.write, b.firstIndex} {
		if i >= 0 && !slices.Contains(witnesses, i) {
			witnesses = append(witnesses, i)
		}
	}
	why := fmt.Sprintf("%s came back after %s had come", strconv.Quote(a.value), strconv.Quote(b.value))
	cause := "a read showed what was there before, or the write of " + strconv.Quote(b.value) + " was lost."
	if a.write >= 0 && cs[a.write].tries > 1 {
		cause = fmt.Sprintf("a repeat of %s wrote %s once more.", cs[a.write].op, strconv.Quote(a.value))
	}
	return misfits(why, cause, witnesses...)
}
