package inject

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestFindOperation(t *testing.T) {
	run := Start(t)
	_ = slices.Collect(run.IDs(12))
	_ = run.Queue("a:b/1", "überweisung-1")
	for _, test := range []struct{ method, url, header, body, want string }{
		{"POST", "/charges", "", `{"order":"order-1"}`, "order-1"},
		{"POST", "/charges", "", `{"order":"order-12"}`, "order-12"}, // not order-1
		{"POST", "/charges", "", "order=order-2&amount=5", "order-2"},
		{"POST", "/charges", "", "<order>order-3</order>", "order-3"},
		{"POST", "/orders/order-4/pay", "", `{"amount":5}`, "order-4"},
		{"PUT", "/charges?order=order-5", "", "", "order-5"},
		{"POST", "/charges", "order-6", "", "order-6"},
		{"POST", "/orders/order-7/pay", "", `{"replaces":"order-1"}`, "order-7"}, // the path decides
		{"POST", "/charges", "", `{"order":"a:b/1"}`, "a:b/1"},
		{"POST", "/charges", "", `{"order":"überweisung-1"}`, "überweisung-1"},
		{"POST", "/charges", "", `{"a":"order-8","b":"order-8"}`, "order-8"},
		{"GET", "/orders/order-1", "", "", ""}, // a reading is no attempt
		{"HEAD", "/orders/order-1", "", "", ""},
		{"POST", "/charges", "", `{"order":"order-1","twin":"order-2"}`, "POST /charges holds the ids of several operations (order-1, order-2): say by Options.ID which one it is an attempt of"},
		{"POST", "/charges", "", `{"order":"xorder-1","a":"order-1x","b":"order-99","c":"order-1-1","d":"a:b/12"}`, "POST /charges holds no id of this run: send an id of Run.IDs with it, or say by Options.ID which operation it is an attempt of"},
	} {
		q, err := http.NewRequest(test.method, "http://shop"+test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.header != "" {
			q.Header.Set("Idempotency-Key", test.header)
		}
		got, err := run.identify(q, []byte(test.body))
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s %s: %q, want %q", test.method, test.url, test.body, got, test.want)
		}
	}
}

func TestOptionsID(t *testing.T) {
	run := Options{ID: func(q *http.Request) string {
		body, _ := io.ReadAll(q.Body) // it may
		return strings.TrimPrefix(string(body), "pay ")
	}}.Start(t)
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		_, _ = w.Write(body)
	}))
	for id := range run.IDs(1) {
		for _, body := range []string{"pay " + id, "", "pay "} { // the others are of no operation
			resp, err := client.Post("http://shop", "text/plain", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := io.ReadAll(resp.Body); string(got) != body {
				t.Errorf("handled %q, want %q", got, body)
			}
		}
	}
	wantLines(t, story(run.History()), "order-1 invoke 1\n\torder-1 ok 1 200")
}

func TestRequestsOfNoOperation(t *testing.T) {
	for want, o := range map[string]Options{
		"inject: POST /charges holds no id of this run: send an id of Run.IDs with it, or say by Options.ID which operation it is an attempt of": {},
		`inject: POST /charges: Options.ID says "4711", which is no operation of this run: take ids from Run.IDs`:                                {ID: func(*http.Request) string { return "4711" }},
	} {
		got := saying(t, func(t *fakeT) {
			client := o.Start(t).Client(http.NotFoundHandler())
			if _, err := client.Post("http://shop/charges", "text/plain", strings.NewReader("4711")); err == nil {
				t.Errorf("no error")
			}
		})
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}
