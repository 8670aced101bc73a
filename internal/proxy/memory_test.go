package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

func long() bool { return os.Getenv("IDEMCHECK_LONG") != "" }

// heap is what is in use when all garbage is gone.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// TestMemoryOfRequests: memory is flat however many requests pass, on many routes
// and under many keys: 10 million on 10,000 routes with IDEMCHECK_LONG=1.
func TestMemoryOfRequests(t *testing.T) {
	n := 200_000
	if long() {
		n = 10_000_000
	}
	p, err := Start(t.Context(), Options{Settings: settings.Settings{
		Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: "http://127.0.0.1:1"}},
		Rules: []settings.Rule{{Share: settings.Share{Percent: 1e-9}}}, History: settings.History{File: 1 << 20, Limit: 8 << 20},
	}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	l := &line{p: p, up: p.replicas.next()}
	a := &relay.Answer{Status: 201, Whole: true, Given: true, SentAll: true, Took: time.Millisecond}
	send := func(i int) {
		target := fmt.Sprintf("/r%d/things/%d", i%10_000, i)
		r := &relay.Request{Method: []byte("POST"), Target: []byte(target), Peek: []byte(target), PeekAll: true, Start: time.Now(),
			Head: fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\nIdempotency-Key: key-%d\r\nContent-Length: %d\r\n\r\n", target, i, len(target))}
		l.End(r, a, l.Begin(r))
	}
	for i := range n / 2 {
		send(i)
	}
	before := heap()
	for i := range n / 2 {
		send(n + i)
	}
	after := heap()
	t.Logf("%d MiB after %d requests, %d MiB after %d", before>>20, n/2, after>>20, n)
	if after > before+before/4+(16<<20) {
		t.Errorf("memory grew from %d to %d MiB", before>>20, after>>20)
	}
}

// zeros is a body of so many bytes.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	z.left -= n
	return int(n), nil
}

// TestMemoryOfUploads: uploads that are all repeated stay below 512 MiB: 1,000 of
// 10 MB at once with IDEMCHECK_LONG=1. Callers and the service are in the same process.
func TestMemoryOfUploads(t *testing.T) {
	clients, size := 40, int64(2<<20)
	if long() {
		clients, size = 1000, 10<<20
	}
	var got, most atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		got.Add(n)
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); int64(m.Sys-m.HeapReleased) > most.Load() {
			most.Store(int64(m.Sys - m.HeapReleased))
		}
	}))
	defer service.Close()
	p, err := Start(t.Context(), Options{Settings: settings.Settings{
		Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: service.URL}},
		Share: settings.Share{Percent: 100}, Budget: 1 << 30,
	}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{MaxIdleConnsPerHost: clients}
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			r, _ := http.NewRequest("POST", p.URLs()[0]+"/blobs", &zeros{size})
			r.ContentLength = size
			resp, err := (&http.Client{Transport: tr}).Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	}
	wg.Wait()
	tr.CloseIdleConnections()
	if err := p.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	r := p.Report()
	t.Logf("%d MiB at most, %d bytes came, %d repeats, %v", most.Load()>>20, got.Load(), r.Repeats, r.Notes)
	if got.Load() < int64(clients)*size || most.Load() > 512<<20 || r.Repeats == 0 {
		t.Errorf("%d bytes came, %d MiB at most, %d repeats", got.Load(), most.Load()>>20, r.Repeats)
	}
	if p.store.memory.Load() != 0 || p.store.disk.Load() != 0 {
		t.Errorf("%d and %d bytes are still kept", p.store.memory.Load(), p.store.disk.Load())
	}
}
