package relay

import (
	"context"
	"net"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy/bench"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	bench.Child(map[string]bench.Role{"relay": bare})
	goleak.VerifyTestMain(m)
}

// bare is a relay with hooks that do nothing.
func bare(l net.Listener, service string) {
	s := &Server{Open: func(net.Conn) Hooks { return idle(service) }}
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go s.Serve(c)
	}
}

// idle are hooks that do nothing; the service's address.
type idle string

func (to idle) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", string(to))
}

func (idle) Begin(*Request) *Act { return nil }

func (idle) End(*Request, *Answer, *Act) {}

// The floor: the relay alone, with nothing recorded.

func BenchmarkRelayVsReverseProxy(b *testing.B) { bench.Compare(b, "relay", bench.ReverseProxy) }

func BenchmarkRelayVsToxiproxy(b *testing.B) { bench.Compare(b, "relay", bench.Toxiproxy) }
