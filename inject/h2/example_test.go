package h2_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/h2"
)

// A charge over HTTP/2 whose answer the caller never hears.
func ExampleDialer() {
	shop := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Proto, "charged")
		w.WriteHeader(http.StatusCreated)
	}))
	shop.EnableHTTP2 = true
	shop.StartTLS()
	defer shop.Close()

	d := &h2.Dialer{TLS: shop.Client().Transport.(*http.Transport).TLSClientConfig}
	r, _ := http.NewRequest("POST", shop.URL+"/charges", nil)
	answer := d.Send(context.Background(), r, inject.LoseAnswer)
	fmt.Println(answer.Status, "instead of", answer.Hidden)
	// Output:
	// HTTP/2.0 charged
	// reset instead of 201
}
