package traffic

import (
	"fmt"
	"strings"
	"testing"
)

func splitLines(head string) (all [][2]string) {
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			all = append(all, [2]string{name, strings.TrimSpace(value)})
		}
	}
	return all
}

var kept = story{request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `201 {"id":"ch_$M"}`}

// counted tells of effects: of requests sent once, and of those sent twice.
func counted(expect int, once, twice []int, change func(*Effects)) Route {
	o := Options{Operations: []Operation{{Name: "charge", Method: "POST", Path: "/charges"}}}
	if expect > 0 {
		o.Operations[0].Expect = map[string]int{"row": expect}
	}
	b := newBench(o)
	for copies, counts := range [][]int{once, twice} {
		for i, n := range counts {
			e := Effects{Method: "POST", Target: "/charges?x=1", Op: fmt.Sprintf("o-%d-%d", copies, i), Observer: "row", Say: "Order ${id} was charged", Count: n, Sent: 1, Copies: copies, Accepted: true}
			if change != nil {
				change(&e)
			}
			b.Effects(e)
		}
	}
	return b.tell(kept, 5)
}

func ones(n int) []int { return strings2ints(strings.Repeat("1", n)) }

func strings2ints(s string) (all []int) {
	for _, c := range s {
		all = append(all, int(c-'0'))
	}
	return all
}

func TestCounts(t *testing.T) {
	for name, c := range map[string]struct {
		expect      int
		once, twice []int
		change      func(*Effects)
		want        Verdict
		kind        string
	}{
		"one each":                {once: ones(3), twice: ones(3), want: Held},
		"one each, and few":       {once: ones(3), twice: ones(2), want: Unknown},
		"one each, few controls":  {once: ones(2), twice: ones(9), want: Unknown},
		"two, once":               {once: ones(3), twice: []int{1, 1, 2}, want: Certain, kind: "twice"},
		"two, where two is right": {expect: 2, once: []int{2, 2, 2}, twice: []int{2, 2, 2}, want: Held},
		"two, and one expected":   {expect: 1, once: []int{2, 2, 2}, twice: []int{2, 2, 2}, want: Unknown, kind: "varies"},
		"controls vary":           {once: []int{1, 2, 1, 1}, twice: []int{2, 1, 2}, want: Unknown, kind: "varies"},
		"blind":                   {once: []int{0, 0, 0}, twice: []int{0, 0, 0}, want: Unknown, kind: "blind"},
		"one is not there":        {once: ones(30), twice: []int{1, 0, 1}, want: Unknown, kind: "lost"},
		"many are not there":      {once: ones(30), twice: []int{0, 0, 0, 1}, want: Certain, kind: "lost"},
		"some are not there":      {once: ones(12), twice: []int{0, 0, 1, 1}, want: Likely, kind: "lost"},
		"refused ones":            {once: ones(3), twice: []int{0, 0, 0}, change: func(e *Effects) { e.Accepted = e.Count > 0 }, want: Unknown},
		"sent twice by callers":   {once: ones(3), twice: []int{2, 2, 2}, change: func(e *Effects) { e.Sent = 1 + e.Copies }, want: Unknown},
		"without their keys":      {once: ones(3), twice: []int{2, 2, 2}, change: func(e *Effects) { e.Fault = "drop-key" }, want: Certain, kind: "none"},
	} {
		got := counted(c.expect, c.once, c.twice, c.change)
		if name == "without their keys" {
			c.want, c.kind = Unknown, "uncounted"
		}
		if got.Verdict != c.want {
			t.Errorf("%s: %s %v, want %s", name, got.Verdict, got.Findings, c.want)
		}
		if c.kind != "" && (len(got.Findings) == 0 || got.Findings[0].Kind != c.kind) {
			t.Errorf("%s: %v, want %s", name, got.Findings, c.kind)
		}
	}
	got := counted(0, ones(3), []int{1, 2, 2}, nil)
	if want := "Order o-1-2 was charged 2 times at row; requests that were sent once, 1 time. So it was with 2 of 3 requests that were sent twice."; got.Findings[0].Words != want {
		t.Errorf("%s\nwant %s", got.Findings[0].Words, want)
	}
}

// A route of which answers are likely wrong is not held by its counts.
func TestCountsDoNotHoldWhatAnswersAccuse(t *testing.T) {
	b := newBench(Options{})
	for i := range 9 {
		b.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprint(i), Observer: "row", Count: 1, Sent: 1, Copies: i % 2, Accepted: true})
	}
	broken := story{request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `500`}
	if got := b.tell(broken, 5); got.Verdict != Likely {
		t.Error(got.Verdict, got.Findings)
	}
}

func TestTotals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i, accepted, copies int) float64
		want   Verdict
	}{
		"copies count":                {func(_, a, b int) float64 { return float64(5 * (a + b)) }, Likely},
		"copies do not":               {func(_, a, b int) float64 { return float64(5 * a) }, Unknown},
		"copies count, a window late": {func(i, a, b int) float64 { return float64(5 * (a + b) * (i % 3)) }, Unknown},
		"others change it too":        {func(i, a, b int) float64 { return float64(a + 37*((i*i)%7)) }, Unknown},
		"it stands":                   {func(int, int, int) float64 { return 0 }, Unknown},
	} {
		b := newBench(Options{})
		b.tell(kept, 3)
		for i := range 40 {
			accepted, copies := 10+i%7, (i*i)%4
			b.Total(Total{Observer: "sum", Route: "POST /charges", Change: c.change(i, accepted, copies), Accepted: accepted, Copies: copies})
		}
		if got := b.tell(kept, 1); got.Verdict != c.want {
			t.Errorf("%s: %s %v", name, got.Verdict, got.Findings)
		}
	}
	b := newBench(Options{})
	b.tell(kept, 3)
	b.Total(Total{Observer: "sum", Route: "POST /charges", Change: 4, Accepted: 2, Copies: 2})
	if got := b.tell(kept, 1); got.Verdict != Unknown {
		t.Error("one sample is enough:", got.Findings)
	}
}

// A repeat that shows the id of another request is likely answered for it; ids that
// the service uses again and again say nothing.
func TestStrangers(t *testing.T) {
	b := newBench(Options{})
	swapped := story{request: "POST /charges", first: `200 {"id":"ch_$M"}`, second: `200 {"id":"ch_` + id("", 3) + `"}`}
	if got := b.tell(swapped, 12); got.Verdict != Likely || got.Findings[0].Kind != "stranger" {
		t.Error(got.Verdict, got.Findings)
	}
	b = newBench(Options{})
	weak := story{request: "POST /queue", first: `200 {"number":$N}`, second: `200 {"number":3}`}
	if got := b.tell(weak, 12); got.Verdict != Unknown {
		t.Error(got.Verdict, got.Findings)
	}
}
