package inject_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// One seed gives one schedule, whoever asks first.
func ExampleSeeded() {
	s := inject.Seeded(1, 0.5, inject.LoseAnswer, inject.Repeat)
	for order := range 6 {
		fmt.Println(order, s(inject.Site{Name: inject.SiteRequest, Number: order, Attempt: 1}))
	}
	// Output:
	// 0 []
	// 1 []
	// 2 []
	// 3 [repeat]
	// 4 []
	// 5 []
}

// The service does the work; the caller sees a reset and sends again.
func ExampleTransport() {
	charges := 0
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		charges++
		w.WriteHeader(http.StatusCreated)
	}))
	defer shop.Close()

	loseFirst := func(s inject.Site) []inject.Fault {
		if s.Attempt == 1 {
			return []inject.Fault{inject.LoseAnswer}
		}
		return nil
	}
	print := func(e history.Event, _ []byte) int64 {
		fmt.Println(e.Kind, e.Name+" "+e.Status+".")
		return 0
	}
	client := &http.Client{Transport: inject.Transport(http.DefaultTransport, loseFirst, print)}
	defer client.CloseIdleConnections()
	for range 2 {
		r, _ := http.NewRequest("POST", shop.URL+"/charges", strings.NewReader(`{"order":"o1"}`))
		if resp, err := client.Do(r.WithContext(inject.Numbered(r.Context(), 1))); err == nil {
			_ = resp.Body.Close()
		}
	}
	fmt.Println(charges, "charges")
	// Output:
	// invoke POST /charges .
	// fault lose-answer .
	// unknown POST /charges reset.
	// invoke POST /charges .
	// ok POST /charges 201.
	// 2 charges
}

// A provider that loses the answer to the first call of an order. The caller
// that keeps its key is safe.
func ExampleProvider() {
	card := &inject.Provider{Name: "card", Effect: "POST /v1/charges", ID: "body /order"}
	url, stop, err := card.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()
	fired := card.Arm(inject.LoseAnswer, "o1", 1)
	for _, key := range []string{"k1", "k1", "k2"} {
		r, _ := http.NewRequest("POST", url+"/v1/charges", strings.NewReader(`{"order":"o1","amount":5}`))
		r.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(key, "lost")
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		fmt.Print(key, " ", resp.StatusCode, " ", string(body))
	}
	ok, _ := fired()
	fmt.Println("fired", ok, "ledger", card.Ledger())
	// Output:
	// k1 lost
	// k1 201 {"id":"ch_1","status":"succeeded","order":"o1","amount":5}
	// k2 201 {"id":"ch_2","status":"succeeded","order":"o1","amount":5}
	// fired true ledger map[o1:2]
}

// A body in other bytes with the same meaning.
func ExampleReencodeJSON() {
	same, ok := inject.ReencodeJSON([]byte(`{"order":"o1","amount":12.5}`), false)
	fmt.Println(string(same), ok)
	// Output: {"amount" : 12.50 , "order" : "\u006f1"} true
}

func ExampleParseFault() {
	f, err := inject.ParseFault("delay: 50ms")
	fmt.Println(f, f.Name, f.Arg, err)
	_, err = inject.ParseFault("delay: soon")
	fmt.Println(err)
	// Output:
	// delay: 50ms delay 50ms <nil>
	// fault delay: argument "soon" is not legal: it takes a duration, 50ms by default
}
