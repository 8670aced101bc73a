package proxy

import (
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// BenchmarkUnstruck is what a request that is not chosen costs beyond the relay.
func BenchmarkUnstruck(b *testing.B) {
	p, err := Start(b.Context(), Options{Settings: settings.Settings{
		Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: "http://127.0.0.1:1"}},
		Rules: []settings.Rule{{Share: settings.Share{Percent: 1e-9}}},
	}, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	l := &line{p: p, up: p.replicas.next()}
	r := &relay.Request{
		Method: []byte("POST"), Target: []byte("/charges/ch_3welx91/capture"), Host: []byte("x"), Peek: make([]byte, 180), PeekAll: true,
		Head: []byte("POST /charges/ch_3welx91/capture HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nContent-Type: application/json\r\nIdempotency-Key: 2f9c5d3e-1b1a-4f63-9c1e-0123456789ab\r\nContent-Length: 180\r\n\r\n"),
	}
	a := &relay.Answer{Status: 201, Whole: true, Given: true, SentAll: true, Took: time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		r.Start = time.Now()
		l.End(r, a, l.Begin(r))
	}
}
