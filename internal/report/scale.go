package report

import (
	"slices"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
)

// leastGap is the units between two moments that differ.
const leastGap = 14

// most is the units of a gap; a longer one is compressed, and marked. Two of
// three gaps can always be told apart by their size.
func (s scale) most() float64 {
	switch len(s.at) {
	case 0, 1, 2:
		return room
	case 3:
		return 0.8 * room
	}
	return 0.4 * room
}

// scale places moments on the axis: in proportion, but that no gap is too small
// to see, and a long one is cut short.
type scale struct {
	at    []int64 // distinct moments
	place []int
	cut   []bool // the gap before the moment was compressed
}

func newScale(rows []history.Row) scale {
	var s scale
	for _, r := range rows {
		s.at = append(s.at, r.Event.At)
	}
	slices.Sort(s.at)
	s.at = slices.Compact(s.at)
	s.place, s.cut = make([]int, len(s.at)), make([]bool, len(s.at))
	k := s.factor()
	for i := 1; i < len(s.at); i++ {
		gap := float64(s.at[i]-s.at[i-1]) * k
		s.cut[i] = gap > s.most()+1
		s.place[i] = s.place[i-1] + int(min(max(gap, leastGap), s.most()))
	}
	return s
}

// factor is how many units a nanosecond takes, so that all gaps fill the room.
func (s scale) factor() float64 {
	if len(s.at) < 2 {
		return 0
	}
	low, high := 0.0, s.most() // per nanosecond: every gap at its most
	for range 100 {
		k := (low + high) / 2
		sum := 0.0
		for i := 1; i < len(s.at); i++ {
			sum += min(max(float64(s.at[i]-s.at[i-1])*k, leastGap), s.most())
		}
		if sum > room {
			high = k
		} else {
			low = k
		}
	}
	return low
}

// width is that of the time drawn; many moments need more room than there is.
func (s scale) width() int {
	if len(s.place) == 0 {
		return room
	}
	return max(room, s.place[len(s.place)-1])
}

// x is the place of a moment that is one of the rows'.
func (s scale) x(at int64) int {
	i, _ := slices.BinarySearch(s.at, at)
	return gutter + margin + s.place[min(i, len(s.place)-1)]
}

// ticks are the moments that the axis names, those that have room, and the
// places where time was compressed.
func (s scale) ticks() (ticks []tick, breaks []int) {
	last := -1000
	for i, at := range s.at {
		x := s.x(at)
		if s.cut[i] {
			breaks = append(breaks, (x+s.x(s.at[i-1]))/2)
		}
		label := s.label(at)
		if x-last < 40 || len(ticks) > 0 && ticks[len(ticks)-1].Label == label {
			continue
		}
		last = x
		ticks = append(ticks, tick{x, label})
	}
	return ticks, breaks
}

// label is a moment in milliseconds since the first.
func (s scale) label(at int64) string {
	ms := float64(at-s.at[0]) / 1e6
	if s.at[len(s.at)-1]-s.at[0] < 10e6 {
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.Itoa(int(ms))
}
