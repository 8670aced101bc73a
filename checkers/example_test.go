package checkers_test

import (
	"fmt"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// lostAnswer is a history in which the first answer was lost and the service
// charged again: calibration, one case, the end.
func lostAnswer(charges int) history.History {
	card := history.Observer{Name: "card-charge", Kind: "provider", By: "id", Say: "Order ${id} was charged"}
	h := history.History{Header: history.Header{Observers: []history.Observer{card}}}
	add := func(e history.Event) {
		e.Seq = int64(len(h.Events) + 1)
		h.Events = append(h.Events, e)
	}
	attempt := func(in, id string, n int, end history.Kind, status string) {
		add(history.Event{Kind: history.Invoke, Case: in, Op: id, Name: "charge", Key: "key-" + id, Attempt: n})
		add(history.Event{Kind: end, Case: in, Op: id, Attempt: n, Status: status})
	}
	charge := func(id, key string, n int) {
		add(history.Event{Kind: history.Effect, Name: card.Name, Op: id, Key: key, Count: n})
	}
	attempt(history.CaseCalibration, "r7k2m9-1", 1, history.OK, "201")
	charge("r7k2m9-1", "p-1", 1)

	in := "lost-answer/charge"
	add(history.Event{Kind: history.Mark, Name: history.MarkCase, Case: in, Attrs: map[string]string{
		"scenario": "lost-answer", "operation": "charge", "rules": "exactly-once, same-answer"}})
	charge("r7k2m9-12", "p-81", 1)
	attempt(in, "r7k2m9-12", 1, history.Unknown, "reset")
	if charges > 1 {
		charge("r7k2m9-12", "p-82", 2)
	}
	attempt(in, "r7k2m9-12", 2, history.OK, "201")
	add(history.Event{Kind: history.Mark, Name: history.MarkEnd})
	return h
}

func ExampleJudge() {
	none, _ := contract.Lookup("none")
	report := checkers.Judge(lostAnswer(2), none)
	for _, c := range report.Cases {
		fmt.Println(c.Name, c.Verdict)
		for _, v := range c.Violations {
			fmt.Printf("%s: %s\nLikely cause: %s\nUsual cure: %s\n", v.Rule, v.Reason, v.Cause, v.Cure)
		}
	}
	// Output:
	// lost-answer/charge fail
	// at-most-once: Order r7k2m9-12 was charged 2 times at card-charge. 1 was allowed.
	// Likely cause: the second try called the provider under a new key (p-81, p-82).
	// Usual cure: make the provider's key from the order or from the caller's key, before the first call.
}

func ExampleReport_Verdict() {
	none, _ := contract.Lookup("none")
	fmt.Println(checkers.Judge(lostAnswer(1), none).Verdict())
	fmt.Println(checkers.Judge(history.History{}, none).Verdict())
	// Output:
	// pass
	// inconclusive
}

func ExampleRule() {
	quick := checkers.Rule{
		Name: "three-tries", Doc: "an operation is tried at most three times",
		Group: func(g checkers.Group) (vs []checkers.Violation) {
			for _, op := range g.Operations {
				if n := len(op.Attempts); n > 3 {
					vs = append(vs, checkers.Violation{Rule: "three-tries", Verdict: checkers.Fail, Op: op.ID,
						Reason: fmt.Sprintf("%s was tried %d times.", op.ID, n)})
				}
			}
			return vs
		},
	}
	none, _ := contract.Lookup("none")
	fmt.Println(checkers.Judge(lostAnswer(1), none, quick).Verdict())
	// Output: pass
}
