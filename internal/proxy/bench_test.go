package proxy_test

import (
	"context"
	"net"
	"os"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/bench"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// roles are the proxies of the benchmarks, a process each.
var roles = map[string]bench.Role{
	"proxy": func(l net.Listener, service string) { stand(l, service, settings.Rule{Path: "/nothing"}) },
	"repeats": func(l net.Listener, service string) {
		stand(l, service, settings.Rule{Share: settings.Share{Percent: 5}})
	},
}

// stand runs a proxy with recording in the place of a listener.
func stand(l net.Listener, service string, r settings.Rule) {
	dir, err := os.MkdirTemp("", "idemcheck-bench-")
	if err != nil {
		panic(err)
	}
	p, err := proxy.Start(context.Background(), proxy.Options{
		Settings: settings.Settings{
			Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: "http://" + service}},
			Rules: []settings.Rule{r}, Budget: 1 << 30, History: settings.History{Limit: 256 << 20},
		}, Run: "bench", Dir: dir,
	})
	if err != nil {
		panic(err)
	}
	p.ServeOn(l)
}

func BenchmarkProxyVsReverseProxy(b *testing.B) { bench.Compare(b, "proxy", bench.ReverseProxy) }
func BenchmarkProxyVsToxiproxy(b *testing.B)    { bench.Compare(b, "proxy", bench.Toxiproxy) }

// With 5 % of the requests sent twice, against none.
func BenchmarkRepeatsVsNone(b *testing.B) { bench.Compare(b, "repeats", "proxy") }

// The same against others.
func BenchmarkRepeatsVsReverseProxy(b *testing.B) { bench.Compare(b, "repeats", bench.ReverseProxy) }
func BenchmarkRepeatsVsToxiproxy(b *testing.B)    { bench.Compare(b, "repeats", bench.Toxiproxy) }
