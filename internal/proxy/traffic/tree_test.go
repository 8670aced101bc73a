package traffic

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, id := range []string{"1", "42", "2026-11-30", "6f1f2a60-7d5e-4b30-9d6b-0a1b2c3d4e5f", "ch_3welx", "cus_9AbCdEfGh", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "5f2b8c9d0e1f",
		"order-17", "r7k2m9-12", "m-3", "app.3f2a9c7b.js", "anna%40example.com1", "deadbeefdeadbeefdeadbeef", "V1StGXR8_Z5jdHi6B-myT", strings.Repeat("x", 65)} {
		if !named([]byte(id)) {
			t.Errorf("%s is an id", id)
		}
	}
	for _, word := range []string{"", "charges", "v1", "v2beta1", "oauth2", "order-items", "getUserAccountPreferences", "s3-uploads", "oauth2-callback", "deadline", "facade", "x509certificates",
		"shop.Charges", "api", "health_check", "sha256sum", "index.html", "default"} {
		if named([]byte(word)) {
			t.Errorf("%s is a word", word)
		}
	}
}

func TestRoutes(t *testing.T) {
	l := New(Options{KeyTable: 100, Operations: []Operation{{Name: "charge", Method: "POST", Path: "/charges"}, {Name: "book", Method: "PUT", Path: "/rooms/${name}/nights/{night}"}}})
	for path, want := range map[string]string{
		"/charges/ch_3welx9": "GET /charges/{}", "/charges/": "GET /charges/", "/v1/users/42/orders/7": "GET /v1/users/{}/orders/{}", "/": "GET /",
		"/a//b": "GET /a//b", "/rooms/blue/nights/monday": "GET /rooms/{}/nights/{}", "/x?y=1": "GET /x",
	} {
		if got := l.Route([]byte("GET"), []byte(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := l.Route([]byte("PUT"), []byte("/rooms/blue/nights/monday")); got != "PUT /rooms/{}/nights/{}" {
		t.Error(got)
	}
	for _, r := range l.Report().Routes {
		if r.Name == "PUT /rooms/{}/nights/{}" && r.Operation != "book" {
			t.Error("the operation of the file is not known")
		}
	}
	for _, bad := range []string{"", "get", "G\x00T", strings.Repeat("A", 30)} {
		if got := l.Route([]byte(bad), []byte("/zz")); got != "others" {
			t.Errorf("method %q: %s", bad, got)
		}
	}
}

// Words at a place that has too many of them are values; what was counted stays.
func TestRoutesFold(t *testing.T) {
	l := New(Options{KeyTable: 100, Operations: []Operation{{Name: "me", Method: "GET", Path: "/users/me"}}})
	for i := range 300 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26)) + "bert"
		for _, path := range []string{"/users/" + name, "/users/" + name + "/carts"} {
			l.Pass(&Pass{Method: []byte("GET"), Path: []byte(path), Status: 200})
		}
		l.Repeat(Repeat{Method: "GET", Target: "/users/" + name, Fault: "repeat", First: answer("200"), Second: answer("200")})
	}
	l.Pass(&Pass{Method: []byte("GET"), Path: []byte("/users/me"), Status: 200})
	got := map[string]int64{}
	for _, r := range l.Report().Routes {
		got[r.Name] = r.Requests
		if r.Name == "GET /users/{}" && r.Repeats["repeat"] != 300 {
			t.Errorf("%d repeats, want 300", r.Repeats["repeat"])
		}
	}
	if len(got) != 3 || got["GET /users/{}"] != 300 || got["GET /users/{}/carts"] != 300 || got["GET /users/me"] != 1 {
		t.Error(got)
	}
}

// Short ids that look like words are known by how many there are, each seen once.
func TestRoutesFoldEarly(t *testing.T) {
	l := New(Options{KeyTable: 100, Operations: []Operation{{Name: "erase", Method: "DELETE", Path: "/docs/{}"}}})
	for i := range 60 {
		word := fmt.Sprintf("d%c%dc%c", 'a'+i%26, i%10, 'a'+i/26)
		l.Pass(&Pass{Method: []byte("PUT"), Path: []byte("/notes/" + word), Status: 200})
		l.Pass(&Pass{Method: []byte("DELETE"), Path: []byte("/docs/" + word), Status: 200})
		l.Pass(&Pass{Method: []byte("GET"), Path: []byte("/area" + word[:2] + "/list"), Status: 200})
	}
	got := map[string]int64{}
	for _, r := range l.Report().Routes {
		got[r.Name] = r.Requests
	}
	if got["PUT /notes/{}"] != 60 || got["DELETE /docs/{}"] != 60 || len(got) != 2+26 {
		t.Error(got)
	}
}

// What is not there makes no routes: whoever scans for holes fills no table.
func TestMissingMakesNoRoutes(t *testing.T) {
	l := New(Options{KeyTable: 100})
	for i := range 5000 {
		l.Pass(&Pass{Method: []byte("POST"), Path: fmt.Appendf(nil, "/wp%s/x.php", strings.Repeat("y", i%50)), Status: 404})
	}
	if rs := l.Report().Routes; len(rs) != 1 || rs[0].Name != "others" || rs[0].Requests != 5000 {
		t.Error(rs)
	}
}

// Memory is flat over many requests on many routes with keys of their own.
func TestMemoryIsBounded(t *testing.T) {
	requests, keys := 300_000, 20_000
	if os.Getenv("IDEMCHECK_LONG") != "" {
		requests, keys = 10_000_000, 0
	}
	l := New(Options{KeyTable: keys})
	var before, after runtime.MemStats
	var path, key []byte
	pass := func(from, to int) {
		for i := from; i < to; i++ {
			path = fmt.Appendf(path[:0], "/area%c%c/kind%c%c/%d", 'a'+i%10, 'a'+i/10%10, 'a'+i/100%10, 'a'+i/1000%10, i)
			key = fmt.Appendf(key[:0], "key-%d", i)
			l.Pass(&Pass{Method: []byte("POST"), Path: path, Status: 201, Sent: Sent{Key: key}, Body: uint64(i + 1)})
		}
	}
	pass(0, requests/3)
	runtime.GC()
	runtime.ReadMemStats(&before)
	pass(requests/3, requests)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+4<<20 {
		t.Errorf("from %d to %d KiB", before.HeapAlloc>>10, after.HeapAlloc>>10)
	}
	r := l.Report()
	if len(r.Routes) > 2001 || r.Requests != int64(requests) {
		t.Errorf("%d routes, %d requests", len(r.Routes), r.Requests)
	}
}

func TestPassAllocatesNothing(t *testing.T) {
	l := New(Options{KeyTable: 1000})
	head, method, path := []byte(benchHead), []byte("POST"), []byte("/charges/ch_1/refunds")
	n := testing.AllocsPerRun(1000, func() {
		p := Pass{Method: method, Path: path, Sent: l.Read(head), Status: 201, Body: 7}
		l.Pass(&p)
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many at once: counts add up, and nothing races.
func TestManyGoroutines(t *testing.T) {
	l := New(Options{KeyTable: 1000})
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			b := bench{Learner: l, n: g * 1000}
			for i := range 200 {
				l.Pass(&Pass{Method: []byte("POST"), Path: fmt.Appendf(nil, "/p%c%c/x", 'a'+i%20, 'a'+i/20), Status: 201, Sent: Sent{Key: []byte("k")}, Body: 1})
				if i%20 == 0 {
					b.tell(unsound[i/20%7], 1)
				}
			}
		})
	}
	group.Wait()
	if r := l.Report(); r.Requests != 8*(200+10) || r.Repeats != 80 {
		t.Errorf("%d requests, %d repeats", r.Requests, r.Repeats)
	}
}
