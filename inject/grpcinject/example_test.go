package grpcinject

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// exampleT stands for the *testing.T of a test.
type exampleT struct{ cleanup []func() }

func (t *exampleT) Helper()                      {}
func (t *exampleT) Name() string                 { return "TestCharges" }
func (t *exampleT) Cleanup(f func())             { t.cleanup = append(t.cleanup, f) }
func (t *exampleT) Logf(f string, args ...any)   { fmt.Printf(f+"\n", args...) }
func (t *exampleT) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (t *exampleT) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

func (t *exampleT) end() {
	for _, f := range t.cleanup {
		defer f()
	}
}

// The service charges, the answer is lost, and the client asks again: a service
// that does not know its orders charges twice. The connection was made with
//
//	grpc.WithUnaryInterceptor(grpcinject.UnaryClientInterceptor(run))
func ExampleUnaryClientInterceptor() {
	t := &exampleT{}
	defer t.end()
	run := inject.Start(t, inject.LoseAnswer)
	conn := serve(t, run, chargerFunc(func(_ context.Context, order string, _ float64) (string, error) {
		run.Effect(order) // money moves
		return "ch_" + order, nil
	}))
	for order := range run.IDs(2) {
		_, err := ask(context.Background(), conn, order, 5)
		for err != nil {
			_, err = ask(context.Background(), conn, order, 5)
		}
	}
	tell(run)
	// Output: order-1 took effect 2 times. 1 was allowed.
}

// A handler is killed behind its effect: it does not come to the note that it
// did it. The server was made with
//
//	grpc.NewServer(grpc.UnaryInterceptor(grpcinject.UnaryServerInterceptor(run)))
func ExampleUnaryServerInterceptor() {
	t := &exampleT{}
	defer t.end()
	run := inject.Start(t, inject.KillAfter)
	noted := map[string]bool{}
	conn := serve(t, run, chargerFunc(func(_ context.Context, order string, _ float64) (string, error) {
		if !noted[order] {
			run.Effect(order) // money moves
			noted[order] = true
		}
		return "ch_" + order, nil
	}))
	for order := range run.IDs(2) {
		_, err := ask(context.Background(), conn, order, 5)
		if err != nil {
			fmt.Println(err)
			_, err = ask(context.Background(), conn, order, 5)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	tell(run)
	// Output:
	// rpc error: code = Unavailable desc = read tcp: connection reset by peer (made by the fault kill-after)
	// order-1 took effect 2 times. 1 was allowed.
}

// tell prints what Verify would fail the test with.
func tell(run *inject.Run) {
	for _, c := range checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce).Cases {
		for _, v := range c.Violations {
			fmt.Println(v.Reason)
		}
	}
}
