// Package bench measures proxies side by side: each is a process of its own, as is
// the service behind them, so that each pays for what it does. For tests only.
//
//	func TestMain(m *testing.M) {
//		bench.Child(map[string]bench.Role{"ours": serve}) // does not return in a child
//		...
//	}
//
//	func BenchmarkOursVsReverseProxy(b *testing.B) { bench.Compare(b, "ours", bench.ReverseProxy) }
package bench

import (
	"slices"
	"testing"
	"time"
)

// The roles that every child knows.
const (
	Service      = "service"       // net/http: a POST is answered 200 with some 200 bytes
	ReverseProxy = "reverse-proxy" // httputil.ReverseProxy, tuned
	Toxiproxy    = "toxiproxy"     // without toxics
)

const (
	many  = 64 // connections
	round = 400 * time.Millisecond
)

// Compare runs load through ours and through peer, in turn. It reports x/peer, how
// many times the peer's requests a second ours carries on 64 connections;
// p50-x/peer, the peer's median latency on one connection over ours; cpu-x/peer, the
// peer's processor time for a request over ours. Above 1, ours is better. The first
// two are medians over the rounds; -benchtime 15x makes 15.
func Compare(b *testing.B, ours, peer string) {
	b.Helper()
	service := start(b, Service, "")
	us, them := start(b, ours, service.addr), start(b, peer, service.addr)
	var sums [2]sum
	both := []*child{us, them}
	for _, c := range both {
		load(b, c, many, round) // warm
	}
	var rate, p50 []float64
	for i := 0; b.Loop(); i++ {
		for j := range both {
			at := (i + j) % 2 // each begins in its turn
			sums[at].add(load(b, both[at], many, round), load(b, both[at], 1, round/2))
		}
		rate = append(rate, sums[0].rates[i]/sums[1].rates[i])
		p50 = append(p50, sums[1].p50[i]/sums[0].p50[i])
	}
	cpu := us.stop()
	b.ReportMetric(median(rate), "x/peer")
	b.ReportMetric(median(p50), "p50-x/peer")
	b.ReportMetric(them.stop()/cpu, "cpu-x/peer")
	b.ReportMetric(cpu, "cpu-µs/req")
	b.ReportMetric(median(sums[0].rates), "req/s")
	b.ReportMetric(median(sums[1].rates), "peer-req/s")
	b.ReportMetric(median(sums[0].p50), "p50-µs")
	b.ReportMetric(median(sums[1].p50), "peer-p50-µs")
	b.ReportMetric(0, "ns/op") // of a round: says nothing
}

// sum is what the rounds of one proxy showed.
type sum struct{ rates, p50 []float64 }

func (s *sum) add(many, one result) {
	s.rates = append(s.rates, many.rate())
	s.p50 = append(s.p50, float64(one.median().Nanoseconds())/1e3)
}

func median(f []float64) float64 {
	f = slices.Sorted(slices.Values(f))
	return f[len(f)/2]
}
