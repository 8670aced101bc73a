package scenarios

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// count adds one plan that was run to what was done.
func (e *explorer) count(t *trial, i int) {
	p, o := t.cases[i].Plan, t.outcomes[i]
	e.did.Plans++
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(p.kinds()))) {
		e.did.Did[kind]++
	}
	for _, ev := range t.of(t.cases[i].Name) {
		if ev.Kind == history.Fault {
			e.did.Fired[ev.Name]++
		}
	}
	switch {
	case o.rule != "":
		e.did.Failed++
	case o.why != "":
		e.did.Inconclusive++
		e.did.Unjudged[general(o.why, t.of(t.cases[i].Name))]++
	default:
		e.did.Passed++
		if e.keptOf[p.Operation]++; e.keptOf[p.Operation] <= keptPlans {
			e.kept = append(e.kept, t.renamed(t.cases[i].Name, "explored/"+p.Operation+"/plan="+fmt.Sprint(e.did.Plans), "explored")...)
		}
	}
}

var howMuch = regexp.MustCompile(`\bin \d[\d.]*`)

// general is a reason without the ids and amounts of one plan, so that those of
// several can be counted together.
func general(why string, events []history.Event) string {
	ids := map[string]bool{}
	for _, ev := range events {
		ids[ev.Op] = true
	}
	delete(ids, "")
	var pairs []string
	for _, id := range slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, id, "ID")
	}
	return howMuch.ReplaceAllString(strings.NewReplacer(pairs...).Replace(why), "in N")
}
