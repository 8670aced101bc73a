package checkers_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// printer stands for the *testing.T of an example, and prints what that would.
// Times are no part of an example.
type printer struct{ name string }

var times = regexp.MustCompile(`(?m)^ *\d+(\.\d)?  `)

func (printer) Helper()                        {}
func (p printer) Name() string                 { return p.name }
func (printer) Cleanup(func())                 {}
func (printer) ArtifactDir() string            { return "" }
func (printer) Logf(f string, args ...any)     {}
func (p printer) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
func (p printer) Errorf(f string, args ...any) {
	fmt.Println(times.ReplaceAllString(fmt.Sprintf(f, args...), " 0.0  "))
}

// ExampleVerify tests an API that looks first and acts then.
func ExampleVerify() {
	t := printer{"TestOneChargePerOrder"} // the *testing.T of the test

	run := inject.Start(t, inject.Repeat, inject.Overlap)
	var mu sync.Mutex
	paid := map[string]bool{}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		order, _ := io.ReadAll(r.Body)
		mu.Lock()
		done := paid[string(order)]
		mu.Unlock()
		if !done {
			run.Effect(string(order)) // money moves
			mu.Lock()
			paid[string(order)] = true
			mu.Unlock()
		}
	})
	client := run.Client(api)
	for id := range run.IDs(5) {
		resp, err := client.Post("http://shop/charges", "text/plain", strings.NewReader(id))
		if err != nil {
			t.Fatalf("%v", err)
		}
		resp.Body.Close()
	}
	checkers.Verify(t, run.History(), checkers.ExactlyOnce)
	// Unordered output:
	// at-most-once: order-2 took effect 2 times, 1 allowed (1 of 2 rules failed; 4 faults on 5 operations)
	//   ms  actor      try  event
	//  0.0  client      1   invoke    POST /charges
	//  0.0  client      2   invoke    POST /charges  same body
	//  0.0  system          ! effect  effect 1
	//  0.0  system          ! effect  effect 2
	//  0.0  client      1   ok        200
	//  0.0  client      2   ok        200
	//  0.0  idemcheck       fault     overlap
	// likely cause: two overlapping copies both found no record of the key, and both did the work (look first, then act).
	// usual cure: claim the key with one atomic insert, under a unique constraint, before the effect.
	// also: order-5 (same pattern)
	// run again: IDEMCHECK_SEED=1548755414 go test -run '^TestOneChargePerOrder$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}
