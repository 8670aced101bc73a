package inject_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

var t = &exampleT{name: "TestOneChargePerOrder"}

// timeline prints what happened to one operation.
func timeline(h history.History, id string) {
	for _, e := range h.Events {
		if e.Op != id {
			continue
		}
		switch e.Kind {
		case history.Invoke:
			fmt.Println("try", e.Attempt)
		case history.Effect:
			fmt.Println(e.Name, e.Count)
		case history.Fault:
			fmt.Println("fault", e.Name)
		default:
			fmt.Println(e.Kind, e.Attempt, e.Status)
		}
	}
}

// An API whose answers are lost, and a caller that sends again. Whether the API
// was right is what checkers.Verify says of the history.
func ExampleStart() {
	run := inject.Start(t, inject.LoseAnswer) // every second operation
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		run.Effect(r.FormValue("order")) // where money moves
		w.WriteHeader(http.StatusCreated)
	}))
	for id := range run.IDs(2) {
		for range 3 {
			resp, err := client.Post("http://shop/charges?order="+id, "", nil)
			if err == nil {
				_ = resp.Body.Close()
				break
			}
			fmt.Println(id, errors.Is(err, syscall.ECONNRESET))
		}
	}
	timeline(run.History(), "order-2")
	// Output:
	// order-2 true
	// try 1
	// effect 1
	// fault lose-answer
	// unknown 1 reset
	// try 2
	// effect 2
	// ok 2 201
}

// Options name the operations, say what one effect is, and strike where the
// caller wants: here each first attempt.
func ExampleOptions() {
	o := inject.Options{
		Name: "payout",
		Say:  "${id} was paid out",
		Schedule: func(s inject.Site) []inject.Fault {
			if s.Name == inject.SiteRequest && s.Attempt == 1 {
				return []inject.Fault{inject.Repeat}
			}
			return nil
		},
	}
	run := o.Start(t)
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		run.Effect(string(body))
	}))
	for id := range run.IDs(1) {
		resp, err := client.Post("http://shop/payouts", "text/plain", strings.NewReader(id))
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	timeline(run.History(), "payout-1")
	// Output:
	// try 1
	// effect 1
	// ok 1 200
	// try 2
	// effect 2
	// ok 2 200
	// fault repeat
}

// Two copies of a request overlap. Both look whether the order is paid before
// either pays: they meet at Effect each time, not once in a thousand.
func ExampleRun_Client() {
	run := inject.Options{Schedule: inject.Tape(map[inject.Site][]inject.Fault{
		{Name: inject.SiteRequest, Number: 1, Attempt: 1}: {inject.Overlap},
	})}.Start(t)
	paid := make(chan string, 10)
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(paid) == 0 {
			run.Effect(r.FormValue("order"))
			paid <- r.FormValue("order")
		}
	}))
	for id := range run.IDs(1) {
		resp, err := client.Post("http://shop/charges?order="+id, "", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	fmt.Println(len(paid), "charges")
	// Output: 2 charges
}

// A consumer that is killed between its work and its acknowledgement: the message
// comes again.
func ExampleQueue() {
	run := inject.Options{Schedule: inject.Tape(map[inject.Site][]inject.Fault{
		{Name: inject.SiteMessage, Number: 1, Attempt: 1}: {inject.KillAfter},
	})}.Start(t)
	run.Queue("order-1").Consume(func(ctx context.Context, id string) error {
		run.Effect(id) // a mail is sent
		fmt.Println("the mail is noted")
		return nil
	})
	timeline(run.History(), "order-1")
	// Output:
	// the mail is noted
	// try 1
	// effect 1
	// fault kill-after
	// unknown 1 reset
	// try 2
	// effect 2
	// ok 2 ok
}

// A plain function, called by a retry loop.
func ExampleCall() {
	run := inject.Start(t, inject.LoseAnswer)
	for id := range run.IDs(2) {
		charge := func(ctx context.Context) (string, error) {
			run.Effect(id)
			return "receipt of " + id, nil
		}
		for {
			receipt, err := inject.Call(run, id, charge)
			if err == nil {
				fmt.Println(receipt)
				break
			}
			fmt.Println(err)
		}
	}
	timeline(run.History(), "order-2")
	// Output:
	// receipt of order-1
	// read tcp: connection reset by peer (made by the fault lose-answer)
	// receipt of order-2
	// try 1
	// effect 1
	// fault lose-answer
	// unknown 1 reset
	// try 2
	// effect 2
	// ok 2 ok
}

// Nothing of ours in the system's code: its calls to the provider are the
// effects. The provider does its work and answers 503.
func ExampleRun_Transport() {
	run := inject.Options{Provider: []inject.Fault{{Name: "fail", Arg: "after"}}}.Start(t)
	provider := inject.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer t.end() // testing does that
	provider.Transport = run.Transport(provider.Transport)

	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		order := r.FormValue("order")
		for range 2 { // it tries again, without a key
			resp, err := provider.Post("http://card/v1/charges", "text/plain", strings.NewReader(order))
			if err == nil && resp.StatusCode == http.StatusOK {
				_ = resp.Body.Close()
				return
			}
		}
	}))
	for id := range run.IDs(2) {
		resp, err := client.Post("http://shop/charges?order="+id, "", nil)
		if err == nil {
			_ = resp.Body.Close()
		}
	}
	timeline(run.History(), "order-2")
	// Output:
	// try 1
	// provider/card 1
	// fault fail
	// provider/card 2
	// ok 1 200
}

// What was drawn elsewhere is done: the answer to the second try of the first
// operation is lost, and nothing else.
func ExampleTape() {
	s := inject.Tape(map[inject.Site][]inject.Fault{
		{Name: inject.SiteRequest, Number: 1, Attempt: 2}: {inject.LoseAnswer},
	})
	for try := 1; try <= 3; try++ {
		fmt.Println(s(inject.Site{Name: inject.SiteRequest, Number: 1, Attempt: try}))
	}
	// Output:
	// []
	// [lose-answer]
	// []
}

// A real server and a client of it, without a socket.
func ExampleServe() {
	client := inject.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "paid ", r.FormValue("order"))
	}))
	defer t.end() // testing does that
	resp, err := client.Get("http://shop/charges?order=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Println(resp.Proto, string(b))
	// Output: HTTP/1.1 paid 1
}
