package scenarios

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// able is a system that can do all that plans can ask for.
func able() System {
	return System{
		Target: &shop{}, Address: "shop", Scopes: []string{"alice", "bob"}, Replicas: 2, Age: nobody{}, Contract: named,
		Operations: []Operation{
			{Name: "order", Test: true, Variable: true, JSON: true, Fields: []string{"/amount"}, Values: []string{"zero", "long-text"},
				Versions: 3, Find: true, Anew: true, Method: "POST", Path: "/orders/${id}", Carrier: "body /key"},
			{Name: "refund", Test: true, Variable: true, JSON: true, OwnBody: true, Method: "DELETE", Path: "/orders/${id}"},
			{Name: "other", Test: true, Method: "POST", Path: "/others", EntryOf: "order"},
		},
		Providers: map[string]*inject.Provider{"card": {}},
		Observers: []Observer{{Observer: history.Observer{Name: "card", Kind: "provider", By: "id"}}},
	}
}

// Each plan that is drawn means something, and its YAML is the plan.
func TestDrawnPlansAreRead(t *testing.T) {
	sys := able()
	sys.Contract.Life = 24 * time.Hour
	kinds := map[string]bool{}
	var decks []deck
	for _, o := range sys.Operations {
		decks = append(decks, newDeck(sys, o, 7, func(Step) bool { return true }))
	}
	for n := range 2000 {
		o, p := sys.Operations[n%len(decks)], decks[n%len(decks)].plan(n/len(decks))
		read, err := Parse("drawn.yaml", []byte(p.Source))
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Source)
		}
		if got := read.print(); got != p.Source {
			t.Fatalf("read as\n%s\nof\n%s", got, p.Source)
		}
		if why := sys.senseless(read, o) + sys.missing(read, o); why != "" {
			t.Fatalf("%s\n%s", why, p.Source)
		}
		for _, k := range p.kinds() {
			kinds[k] = true
		}
	}
	for _, want := range []string{"send", "retry", "together", "start", "shuffle", "reconcile", "age life", "fill", "wait", "arm provider hold", "send version",
		"send scope", "send body", "send replica", "send entry", "send value", "send other", "send key case", "send lose-answer", "send malform-key"} {
		if !kinds[want] {
			t.Errorf("never drawn: %s", want)
		}
	}
}

// The same seed draws the same plans, whatever else happens; another seed others.
func TestSameSeedSamePlans(t *testing.T) {
	drawn := func(sys System, seed uint64) (all []string) {
		synctest.Test(t, func(t *testing.T) {
			_, _, _, err := Explore(t.Context(), sys, ExploreOptions{Run: "r", Seed: seed, Plans: 60, Drawn: func(p Plan) { all = append(all, p.Source) }})
			if err != nil {
				t.Fatal(err)
			}
		})
		return all
	}
	first := drawn((&shop{}).system(), 3)
	if again := drawn((&shop{twice: true}).system(), 3); !slices.Equal(first, again) {
		t.Errorf("the plans differ between a sound and a broken service:\n%s\n%s", strings.Join(first, "\n"), strings.Join(again, "\n"))
	}
	if other := drawn((&shop{}).system(), 4); slices.Equal(first, other) {
		t.Error("another seed drew the same plans")
	}
}

// explore searches in virtual time.
func explore(t *testing.T, sys System, opt ExploreOptions) (did Explored, r checkers.Report, h history.History, out string) {
	t.Helper()
	var b bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		opt.Run, opt.Out = "r", &b
		var err error
		if did, r, h, err = Explore(t.Context(), sys, opt); err != nil {
			t.Fatal(err)
		}
	})
	return did, r, h, b.String()
}

func TestExploreSoundShop(t *testing.T) {
	did, r, h, out := explore(t, (&shop{}).system(), ExploreOptions{Plans: 200})
	if len(did.Finds) != 0 || did.Failed != 0 || did.Passed < 150 || did.Plans != 201 {
		t.Errorf("%+v", did)
	}
	if r.Verdict() != checkers.Pass || len(r.Cases) != keptPlans {
		t.Errorf("%s, %d cases %s", r.Verdict(), len(r.Cases), reasons(r))
	}
	read, err := history.Read(strings.NewReader(out))
	if err != nil || len(read.Events) != len(h.Events) {
		t.Errorf("%v: %d events written, %d told", err, len(read.Events), len(h.Events))
	}
}

func TestExploreFindsAndCutsDown(t *testing.T) {
	var told []Find
	did, r, h, _ := explore(t, (&shop{twice: true}).system(), ExploreOptions{Plans: 60, Found: func(f Find) { told = append(told, f) }})
	if len(did.Finds) == 0 || len(told) != len(did.Finds) {
		t.Fatalf("%+v", did)
	}
	f := did.Finds[0]
	if f.Rule != "at-most-once" || f.Steps > 2 || f.Failed != 5 || f.Of != 5 || f.Met < 5 {
		t.Errorf("%+v\n%s", f, f.Plan.Source)
	}
	if verdictOf(r, f.Case) != checkers.Fail || r.Verdict() != checkers.Fail || len(r.Problems) > 0 {
		t.Errorf("%s: %s %q\n%s", f.Case, verdictOf(r, f.Case), r.Problems, reasons(r))
	}
	for _, f := range did.Finds {
		if p, err := Parse("found.yaml", []byte(f.Plan.Source)); err != nil || p.Story == "" || p.Title == "" {
			t.Errorf("%v\n%s", err, f.Plan.Source)
		}
	}
	if again := checkers.Judge(h, named); again.Verdict() != checkers.Fail {
		t.Errorf("the history says %s", again.Verdict())
	}
}

// What was found before is run first, and is told as such.
func TestExploreRunsSavedFirst(t *testing.T) {
	sys := (&shop{keeps: 3}).system()
	saved, err := Parse("saved.yaml", []byte("name: saved\noperation: order\nsteps: [{send: a}, {fill: 5}, {send: a}, {settle: all}]"))
	if err != nil {
		t.Fatal(err)
	}
	did, _, _, _ := explore(t, sys, ExploreOptions{Saved: []Plan{saved}, First: true})
	if len(did.Finds) != 1 || !did.Finds[0].Saved || did.Finds[0].Number != 1 || did.Plans != 2 {
		t.Errorf("%+v", did)
	}
}

// A service that can not be calibrated is not explored, and does not pass.
func TestExploreNeedsCalibration(t *testing.T) {
	sys := (&shop{answer: func(int) *inject.Answer { return &inject.Answer{Status: "500"} }}).system()
	did, r, _, _ := explore(t, sys, ExploreOptions{Plans: 10})
	if did.Plans != 0 || r.Verdict() != checkers.Inconclusive || !strings.Contains(reasons(r), "500") {
		t.Errorf("%+v %s %s", did, r.Verdict(), reasons(r))
	}
}

// A search that is ended tells what it has, and is no pass.
func TestExploreIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		did, r, _, err := Explore(ctx, (&shop{}).system(), ExploreOptions{Run: "r", Time: time.Hour})
		if err != nil || did.Plans == 0 || r.Verdict() != checkers.Inconclusive || len(r.Problems) != 1 {
			t.Errorf("%v %+v %s %q", err, did, r.Verdict(), r.Problems)
		}
	})
}

// A find explains a plan that does the same to one of its letters, and more.
// planOf is a plan with these steps.
func planOf(t *testing.T, steps string) Plan {
	t.Helper()
	p, err := Parse("plan.yaml", []byte("name: p\nsteps: ["+steps+", {settle: all}]"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		plan, find string
		want       bool
	}{
		{"{send: a}, {retry: a}", "{send: a}, {send: a}", true},
		{"{send: a}, {send: b}, {send: b, fault: lose-answer}", "{send: a}, {send: a}", true},
		{"{send: a}, {send: b}", "{send: a}, {send: a}", false},
		{"{send: a}, {send: a}", "{send: a}, {send: a, fault: lose-answer}", false},
		{"{together: [{send: c}, {send: c}, {send: a}]}", "{together: [{send: a}, {send: a}]}", true},
		{"{send: a}, {send: a}", "{together: [{send: a}, {send: a}]}", false},
		{"{send: b, key: {alike: case}}, {send: c, key: {of: b, alike: case}}", "{send: a, key: {alike: case}}, {send: b, key: {of: a, alike: case}}", true},
		{"{send: b}, {fill: 20}, {send: b}", "{send: a}, {fill: 1}, {send: a}", true},
		{"{send: b}, {send: b}", "{send: a}, {fill: 1}, {send: a}", false},
	} {
		if got := planOf(t, c.plan).holds(planOf(t, c.find)); got != c.want {
			t.Errorf("%s holds %s: %v", c.plan, c.find, got)
		}
	}
}

func TestFindsThatAreAlike(t *testing.T) {
	for _, c := range []struct {
		find, there string
		want        bool
	}{
		{"{together: [{send: a}, {send: a}]}, {send: b}", "{together: [{send: a}, {send: a}]}", true},
		{"{send: a, fault: cut-client}, {send: a}", "{send: a, fault: cut-client}, {retry: a}", true},
		{"{send: a}, {send: a}", "{send: a}, {send: b}, {send: a}", false}, // shorter: worth to be told
		{"{send: a}, {send: a}", "{send: a}, {send: a/changed}", false},
	} {
		f, there := Find{Rule: "r", Plan: planOf(t, c.find)}, Find{Rule: "r", Plan: planOf(t, c.there)}
		if got := f.alike(&there); got != c.want {
			t.Errorf("%s is told by %s: %v", c.find, c.there, got)
		}
		if there.Rule = "another"; f.alike(&there) {
			t.Errorf("%s is told by a find of another rule", c.find)
		}
	}
}

// A batch of a slow system is small, so that a search ends when its time is over.
func TestNextSize(t *testing.T) {
	for _, c := range []struct {
		plans int
		took  time.Duration
		want  int
	}{{12, time.Second, batchSize}, {12, 12 * time.Second, 10}, {12, 2 * time.Minute, 4}, {4, 5 * time.Second, 8}, {12, 0, batchSize}} {
		if got := nextSize(c.plans, c.took); got != c.want {
			t.Errorf("after %d plans in %v: %d, want %d", c.plans, c.took, got, c.want)
		}
	}
}
