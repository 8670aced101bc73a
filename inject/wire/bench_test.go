package wire

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// BenchmarkLinkVsToxiproxy sends the same through a link and through toxiproxy
// without toxics, in turn; x/peer is toxiproxy's time over ours.
func BenchmarkLinkVsToxiproxy(b *testing.B) {
	b.Run("http", func(b *testing.B) { benchHTTP(b, nil) })
	b.Run("http-watched", func(b *testing.B) { benchHTTP(b, func(Step) Action { return Pass }) })
	b.Run("tcp", benchTCP)
	b.Run("postgres", func(b *testing.B) { benchPostgres(b, nil) })
	b.Run("postgres-watched", func(b *testing.B) { benchPostgres(b, func(Step) Action { return Pass }) })
}

// peer is the address of a proxy of toxiproxy in front of another.
func peer(b *testing.B, to string) string {
	b.Helper()
	logger := zerolog.Nop()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), logger), "peer", "127.0.0.1:0", to)
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Stop)
	return p.Listen
}

// inTurn measures work through both addresses, in turn.
func inTurn(b *testing.B, ours, theirs string, work func(addr string)) {
	b.Helper()
	var sums [2]time.Duration
	work(ours)
	work(theirs)
	for b.Loop() {
		for i, addr := range []string{ours, theirs} {
			start := time.Now()
			work(addr)
			sums[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(sums[1])/float64(sums[0]), "x/peer")
}

// benchHTTP is 64 clients with a connection each, of 20 calls.
func benchHTTP(b *testing.B, hook Hook) {
	answer := strings.Repeat("x", 500)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(out, answer)
	}))
	b.Cleanup(server.Close)
	l := openBench(b, HTTP, server.Listener.Addr().String())
	l.Watch(hook)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	b.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	inTurn(b, l.Addr(), peer(b, server.Listener.Addr().String()), func(addr string) {
		together(64, func() {
			for range 20 {
				if err := call(client, "http://"+addr+"/v1/charges"); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

func call(client *http.Client, url string) error {
	answer, err := client.Post(url, "application/json", strings.NewReader(`{"order":"r7k2m9-12","amount":100}`))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func openBench(b *testing.B, protocol Protocol, to string) *Link {
	b.Helper()
	l, err := Open(Config{Name: "dep", Protocol: protocol, To: to})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

// benchTCP is 8 connections that each send 4 MiB and get them back.
func benchTCP(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveAll(listener, echo)
	}()
	b.Cleanup(func() { listener.Close(); <-done })
	l := openBench(b, TCP, listener.Addr().String())
	text := strings.Repeat("x", 4<<20)
	inTurn(b, l.Addr(), peer(b, listener.Addr().String()), func(addr string) {
		together(8, func() {
			if err := exchangeTCP(addr, text); err != nil {
				b.Error(err)
			}
		})
	})
}

func exchangeTCP(addr, text string) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c, text)
		sent <- err
	}()
	if _, err := io.CopyN(io.Discard, c, int64(len(text))); err != nil {
		return err
	}
	return <-sent
}

func together(n int, f func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(f)
	}
	all.Wait()
}
