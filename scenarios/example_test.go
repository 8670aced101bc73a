package scenarios_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// bank is a service and what counts its effects: it charges each time that it is
// asked, whatever key it was given.
type bank struct {
	mu      sync.Mutex
	charged map[string]int
}

func (b *bank) Render(a target.Attempt, f inject.Fault) (target.Message, error) {
	return target.Message{Line: "POST /charges", Key: a.Key, Body: []byte(a.ID), Fault: f}, nil
}

func (b *bank) Send(_ context.Context, m target.Message) inject.Answer {
	b.mu.Lock()
	b.charged[string(m.Body)]++
	b.mu.Unlock()
	answer := inject.Answer{Status: "201", Body: []byte(`{"paid":true}`)}
	if m.Fault == inject.LoseAnswer {
		return answer.Withheld(m.Fault)
	}
	return answer
}

// Together is for plans that let copies overlap: here they come one by one, and
// it is said that they did not.
func (b *bank) Together(ctx context.Context, ms []target.Message, _ time.Duration, done func(int, inject.Answer)) (time.Duration, bool) {
	for i, m := range ms {
		done(i, b.Send(ctx, m))
	}
	return 0, false
}

func (b *bank) Read(_ context.Context, q observe.Query) (counts []observe.Count, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range q.IDs {
		counts = append(counts, observe.Count{ID: id, N: b.charged[id]})
	}
	return counts, nil
}

func (b *bank) system() scenarios.System {
	return scenarios.System{
		Target: b, Address: "bank",
		Operations: []scenarios.Operation{{Name: "charge", Test: true, Method: "POST", Path: "/charges"}},
		Observers: []scenarios.Observer{{Read: b, Observer: history.Observer{
			Name: "ledger", Kind: "sql", By: "id", Say: "Order ${id} was charged"}}},
	}
}

// A plan of your own, on a system that is a Go value.
func ExampleRun() {
	plan, err := scenarios.Parse("lost.yaml", []byte(`
name: lost
title: The answer is lost and the caller sends again
story: A phone in a tunnel.
steps:
  - {send: a, fault: lose-answer}
  - {retry: a}
  - {settle: all}
rules: [exactly-once]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	b := &bank{charged: map[string]int{}}
	report, _, err := scenarios.Run(context.Background(), b.system(), scenarios.Options{Run: "r1", Plans: []scenarios.Plan{plan}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Cases {
		fmt.Println(c.Verdict, c.Name)
		for _, v := range c.Violations {
			fmt.Println(v.Rule+":", v.Reason)
		}
	}
	// Output:
	// fail lost/charge
	// at-most-once: Order r1-3 was charged 2 times at ledger. 1 was allowed.
}

// Without a plan: a search draws them, and cuts down what fails.
func ExampleExplore() {
	b := &bank{charged: map[string]int{}}
	did, _, _, err := scenarios.Explore(context.Background(), b.system(), scenarios.ExploreOptions{Run: "r1", Seed: 1, First: true, Plans: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range did.Finds {
		fmt.Println(f.Rule, "of", f.Operation, "in", f.Steps, "steps, failed", f.Failed, "of", f.Of, "times")
	}
	// Output:
	// at-most-once of charge in 2 steps, failed 5 of 5 times
}

func ExampleParse() {
	_, err := scenarios.Parse("mine.yaml", []byte("name: mine\ntitle: Mine\nstory: Once.\nsteps:\n  - {sned: a}\n"))
	fault, _, _ := strings.Cut(err.Error(), ";") // it goes on with what is legal, and the place
	fmt.Println(fault)
	// Output: mine.yaml:5:6: unknown field "sned" (did you mean "send"?)
}

func ExampleLookup() {
	plan, ok := scenarios.Lookup("lost-answer")
	fmt.Println(ok, plan.Title)
	// Output: true The answer is lost and the caller sends again
}
