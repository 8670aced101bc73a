package traffic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
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
	return b.tell(kept, max(len(twice), 1))
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
		"not all settled":         {once: ones(3), twice: ones(5), change: func(e *Effects) { e.Early = e.Op == "o-1-4" }, want: Unknown, kind: "not-counted"},
		"two, before it settled":  {once: ones(3), twice: []int{1, 1, 2}, change: func(e *Effects) { e.Early = true }, want: Unknown},
		"callers sent some again": {once: ones(3), twice: ones(5), change: func(e *Effects) { e.Sent += e.Copies }, want: Held},
		"one each, few controls":  {once: ones(2), twice: ones(9), want: Unknown},
		"two, once":               {once: ones(100), twice: []int{1, 1, 2}, want: Unknown, kind: "twice"},
		"two, and one stated":     {expect: 1, once: ones(3), twice: []int{1, 1, 2}, want: Certain, kind: "twice"},
		"two, often":              {once: ones(60), twice: []int{1, 2, 2, 2, 2}, want: Certain, kind: "twice"},
		"two, now and then":       {once: ones(20), twice: []int{2, 2, 2}, want: Likely, kind: "twice"},
		"two, few controls":       {once: ones(8), twice: append(ones(50), 3, 2), want: Unknown, kind: "twice"},
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
	got := counted(0, ones(300), []int{1, 2, 2}, nil)
	if want := "Order o-1-2 was charged 2 times at row; each of 300 requests that were sent once, 1 time. So it was with 2 of 3 requests that were sent twice."; got.Findings[0].Words != want {
		t.Errorf("%s\nwant %s", got.Findings[0].Words, want)
	}
}

// A route holds only if each of its repeats was counted.
func TestHeldMeansAllWereCounted(t *testing.T) {
	for missing, want := range []Verdict{Held, Unknown} {
		b := newBench(Options{})
		for i := range 20 {
			b.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprint(i), Observer: "row", Count: 1, Sent: 1, Copies: i % 2, Accepted: true})
		}
		if got := b.tell(kept, 10+missing); got.Verdict != want {
			t.Errorf("%d missing: %s %v", missing, got.Verdict, got.Findings)
		}
	}
}

// Fresh ids accuse nobody of whom each repeat was counted, once.
func TestCountsRelieve(t *testing.T) {
	b := newBench(Options{})
	for i := range 20 {
		b.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprint(i), Observer: "row", Count: 1, Sent: 1, Copies: i % 2, Accepted: true})
	}
	queue := story{request: "POST /charges", first: `201 {"id":"$U"}`, second: `201 {"id":"$U"}`}
	if got := b.tell(queue, 10); got.Verdict != Unknown {
		t.Errorf("%s %v", got.Verdict, got.Findings)
	}
	if got := b.tell(queue, 1); got.Verdict != Unknown {
		t.Errorf("one is not counted yet: %s %v", got.Verdict, got.Findings)
	}
	b = newBench(Options{})
	for i := range 20 {
		b.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprint(i), Observer: "row", Count: 1, Sent: 1, Copies: i % 2, Accepted: true})
	}
	b.tell(kept, 10)
	if got := b.tell(queue, 5); got.Verdict != Likely {
		t.Errorf("those with new ids were not counted: %s %v", got.Verdict, got.Findings)
	}
}

// The example of a finding is one that it is about.
func TestExampleIsOfTheFinding(t *testing.T) {
	b := newBench(Options{})
	n := 0
	named := kept
	named.cut = func(r *Repeat) { n++; r.Op = fmt.Sprintf("o-%d", n) }
	b.tell(named, 30)
	for i := range 30 {
		for copies := range 2 {
			b.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprintf("o-%d", i+1), Observer: "row", Count: 1 + copies*(i/15), Sent: 1, Copies: copies, Accepted: true})
		}
	}
	got := b.tell(kept, 1)
	if got.Verdict != Certain || got.Findings[0].Example.Op != "o-30" || !strings.HasPrefix(got.Findings[0].Words, "o-30 took effect 2 times") {
		t.Errorf("%s %+v", got.Verdict, got.Findings[0])
	}
}

// What a contract promises is judged; without one the same is not known.
func TestPromises(t *testing.T) {
	promise := func(axis string, values ...string) contract.Contract {
		var c contract.Contract
		if err := c.Set(axis, values...); err != nil {
			t.Fatal(err)
		}
		return c
	}
	told := story{request: "POST /charges", first: `201 Location: /charges/ch_$M {"id":"ch_$M","n":1}`}
	again := func(second string) story { s := told; s.second = second; return s }
	other := again(`422 {"error":"other body"}`)
	other.fault, other.cut = "reencode", func(r *Repeat) { r.Reencoded = true }
	for name, c := range map[string]struct {
		contract contract.Contract
		story    story
		want     Verdict
	}{
		"not told":                      {promise("replay", "verbatim"), again(`200 {"status":"duplicate"}`), Likely},
		"not told, none promised":       {contract.Contract{}, again(`200 {"status":"duplicate"}`), Unknown},
		"without a body":                {promise("replay", "verbatim"), again(`201`), Likely},
		"without its place":             {promise("replay", "verbatim"), again(`201 {"id":"ch_$M","n":1}`), Likely},
		"without its place, unsaid":     {contract.Contract{}, again(`201 {"id":"ch_$M","n":1}`), Unknown},
		"as it is now":                  {promise("replay", "current"), again(`200 {"id":"ch_$M","n":2}`), Unknown},
		"as it is now or as it was":     {promise("replay", "current", "verbatim"), again(`200 {"id":"ch_$M","n":2}`), Unknown},
		"verbatim":                      {promise("replay", "verbatim"), again(told.first), Unknown},
		"refused":                       {promise("replay", "verbatim"), again(`404 {"error":"already gone"}`), Likely},
		"a conflict":                    {promise("replay", "conflict"), again(`409 {"id":"ch_$M"}`), Unknown},
		"another form":                  {promise("fingerprint", "canonical"), other, Likely},
		"another form of its fields":    {promise("fingerprint", "/order", "/amount"), other, Likely},
		"another form, and bytes count": {promise("fingerprint", "raw"), other, Unknown},
		"another form, unsaid":          {contract.Contract{}, other, Unknown},
		"after its life":                {func() contract.Contract { c := promise("replay", "verbatim"); c.Life = time.Second; return c }(), afterLife(again(`201 Location: /charges/ch_$U {"id":"ch_$U"}`)), Unknown},
	} {
		b := newBench(Options{Contract: c.contract})
		got := b.tell(c.story, 6)
		if got.Verdict != c.want && (c.want != Unknown || got.Verdict != NotTried) {
			t.Errorf("%s: %s %v", name, got.Verdict, got.Findings)
		}
	}
}

func afterLife(s story) story { s.fault = "late: 2s"; return s }

// Where repeats fail on all routes, a few of each are enough.
func TestFailuresArePooled(t *testing.T) {
	b := newBench(Options{})
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
		b.tell(story{request: "POST " + path, first: `201 {"id":"ch_$M"}`, second: `500`}, 1)
	}
	for _, r := range b.Report().Routes {
		if r.Verdict != Likely {
			t.Errorf("%s: %s", r.Name, r.Verdict)
		}
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
