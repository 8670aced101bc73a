package inject

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"
)

var (
	_ TB = (*testing.T)(nil)
	_ TB = (*testing.B)(nil)
	_ TB = (*testing.F)(nil)
	_ TB = (*rapid.T)(nil)
)

// fakeT is a test that keeps what it is told. Fatalf panics, to end the caller.
type fakeT struct {
	TB
	mu   sync.Mutex
	said []string
}

func (t *fakeT) Helper() {}

func (t *fakeT) Logf(format string, args ...any) { t.Errorf(format, args...) }

func (t *fakeT) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, fmt.Sprintf(format, args...))
}

func (t *fakeT) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(t)
}

// saying is what f tells its test.
func saying(t TB, f func(t *fakeT)) string {
	fake := &fakeT{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(fake) {
				panic(p)
			}
		}()
		f(fake)
	}()
	return strings.Join(fake.said, "\n")
}

// story are the events of a history, one a line, without its marks.
func story(h history.History) (lines []string) {
	for _, e := range h.Events {
		l := fmt.Sprintf("%s %s", e.Op, e.Kind)
		switch {
		case e.Kind == history.Mark:
			continue
		case e.Kind == history.Effect:
			l += fmt.Sprintf(" %s %d", e.Name, e.Count)
		case e.Kind == history.Fault:
			l += " " + e.Name
		case e.Kind == history.Invoke:
			l += fmt.Sprintf(" %d %s", e.Attempt, e.Attrs[history.AttrFault])
		default:
			l += fmt.Sprintf(" %d %s", e.Attempt, e.Status)
		}
		lines = append(lines, strings.TrimSpace(l))
	}
	return lines
}

// marks are the marks of one name, with what they say.
func marks(h history.History, name string) (said []string) {
	for _, e := range h.Events {
		if e.Kind == history.Mark && e.Name == name {
			said = append(said, strings.TrimSpace(e.Attrs[history.AttrFault]+" "+e.Cause))
		}
	}
	return said
}

// effectsOf counts by operation.
func effectsOf(h history.History) map[string]int {
	n := map[string]int{}
	for _, e := range h.Events {
		if e.Kind == history.Effect {
			n[e.Op] = e.Count
		}
	}
	return n
}

func wantLines(t *testing.T, got []string, want string) {
	t.Helper()
	text := strings.Join(got, "\n")
	if want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t", "\n")); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// struckBy is a run whose first operation is struck at its first attempt.
func struckBy(t TB, faults ...Fault) *Run {
	return Options{Schedule: Tape(map[Site][]Fault{{SiteRequest, 1, 1}: faults, {SiteMessage, 1, 1}: faults})}.Start(t)
}

func TestIDs(t *testing.T) {
	run := Options{Name: "payout"}.Start(t)
	got := slices.Collect(run.IDs(2))
	for id := range run.IDs(9) {
		if got = append(got, id); len(got) == 4 {
			break
		}
	}
	if want := []string{"payout-1", "payout-2", "payout-3", "payout-4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEffectOutsideOfAttempts(t *testing.T) {
	run := Start(t)
	for id := range run.IDs(1) {
		run.Effect(id) // a background worker's
		run.Effect(id)
	}
	wantLines(t, story(run.History()), `
	order-1 effect effect 1
	order-1 effect effect 2`)
	var none *Run
	none.Effect("order-1") // does nothing
}

func TestEffectOfStrangers(t *testing.T) {
	run := Start(t)
	_ = slices.Collect(run.IDs(5))
	for _, id := range []string{"4711", "4711", "4712"} {
		run.Effect(id)
	}
	h := run.History()
	want := "Effect was called with 4711, 4712 only, and no operation of this run has such an id (it has order-1, order-2, order-3, ...): pass the id of the operation."
	if said := marks(h, history.MarkError); len(said) != 1 || said[0] != want {
		t.Errorf("%q, want %q", said, want)
	}

	run = Start(t) // seeds may be laid before
	run.Effect("customer-1")
	for id := range run.IDs(1) {
		run.Effect(id)
	}
	if said := marks(run.History(), history.MarkError); len(said) != 0 {
		t.Errorf("%q", said)
	}
}

func TestHistoryIsEndedOnce(t *testing.T) {
	run := Start(t)
	for id := range run.IDs(1) {
		run.Effect(id)
	}
	h := run.History()
	run.Effect("order-1") // too late
	again := run.History()
	if len(h.Events) != len(again.Events) || h.Events[len(h.Events)-1].Name != history.MarkEnd {
		t.Errorf("%d events, then %d: %v", len(h.Events), len(again.Events), h.Events)
	}
}

func TestHeader(t *testing.T) {
	t.Setenv(seedVariable, "7")
	run := Options{Say: "Order ${id} was charged", Expect: 2}.Start(t)
	run.Effect(slices.Collect(run.IDs(1))[0])
	h := run.History().Header
	o := history.Observer{Name: "effect", Kind: "hook", By: "id", Expect: 2, Say: "Order ${id} was charged", Unique: "id"}
	if h.Seed != 7 || h.Target != t.Name() || len(h.Observers) != 1 || fmt.Sprint(h.Observers[0]) != fmt.Sprint(o) {
		t.Errorf("%+v", h)
	}
}

func TestStartSaysWhatIsLegal(t *testing.T) {
	for want, o := range map[string]Options{
		"inject.Start: fault cut-client cannot be done in process, legal are: lose-request, lose-answer, replace-answer, delay, repeat, overlap, late, change-payload, reencode, kill-before, kill-after, reorder, fail, refuse, slow, lose-reply": {Faults: []Fault{CutClient}},
		"inject.Start: fault repeat cannot strike the calls to a provider, legal are: lose-answer, fail, refuse, slow":                                                                                                                             {Provider: []Fault{Repeat}},
		`inject.Start: fault delay: argument "soon" is not legal: it takes a duration, 50ms by default`:                                                                                                                                            {Faults: []Fault{{"delay", "soon"}}},
	} {
		if got := saying(t, func(t *fakeT) { o.Start(t) }); got != want {
			t.Errorf("said\n%s\nwant\n%s", got, want)
		}
	}
	t.Setenv(seedVariable, "minus one")
	if got, want := saying(t, func(t *fakeT) { Start(t) }), `inject.Start: IDEMCHECK_SEED="minus one" is no whole number from 0 on`; got != want {
		t.Errorf("said\n%s\nwant\n%s", got, want)
	}
}

func TestFaultsWithoutTurnAreAskedFor(t *testing.T) {
	run := Options{Faults: []Fault{Repeat, Overlap, LoseAnswer}, Provider: []Fault{LoseAnswer}}.Start(t)
	if said := marks(run.History(), history.MarkArmed); !slices.Equal(said, []string{"repeat", "overlap", "lose-answer", "lose-answer"}) {
		t.Errorf("%q", said)
	}
}
