package wire_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/idemcheck/idemcheck/inject/wire"
)

// A link between a service and its provider: it loses the reply to a charge,
// which the provider has made.
func ExampleOpen() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Println("charged")
		w.WriteHeader(http.StatusCreated)
	}))
	defer provider.Close()
	link, err := wire.Open(wire.Config{Name: "card", Protocol: wire.HTTP, To: strings.TrimPrefix(provider.URL, "http://")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer link.Close()
	link.Watch(func(s wire.Step) wire.Action {
		if s.Phase == wire.After { // done, and the service has not heard
			fmt.Println("lost the reply of", s.Moment())
			return wire.Cut
		}
		return wire.Pass
	})

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	_, err = client.Post("http://"+link.Addr()+"/v1/charges", "application/json", strings.NewReader(`{"order":"o1"}`))
	fmt.Println("the service heard nothing:", err != nil)
	// Output:
	// charged
	// lost the reply of card POST /v1/charges
	// the service heard nothing: true
}
