package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// A Role is what a child does: it serves l, with a service at an address behind it,
// until it is killed.
type Role func(l net.Listener, service string)

const roleVar, serviceVar = "IDEMCHECK_BENCH_ROLE", "IDEMCHECK_BENCH_SERVICE"

// Child does not return in a process that Compare started. More are the roles of
// the caller's own.
func Child(more map[string]Role) {
	name := os.Getenv(roleVar)
	if name == "" {
		return
	}
	role, ok := more[name]
	if !ok {
		role = map[string]Role{Service: serve, ReverseProxy: reverse, Toxiproxy: toxi}[name]
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || role == nil {
		fmt.Fprintln(os.Stderr, "bench:", name, err)
		os.Exit(2)
	}
	if name != Toxiproxy {
		fmt.Println(l.Addr())
	}
	go func() {
		wait(os.Stdin) // the parent is gone
		os.Exit(0)
	}()
	role(l, os.Getenv(serviceVar))
	os.Exit(0)
}

// child is a process that plays a role.
type child struct {
	addr  string
	cmd   *exec.Cmd
	stdin io.Closer
	asked int // requests that went through it
}

// start starts a child and waits until it listens.
func start(b *testing.B, role, service string) *child {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, serviceVar+"="+service)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &child{cmd: cmd, stdin: in}
	b.Cleanup(func() { c.stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(role, err)
	}
	c.addr = strings.TrimSpace(line)
	return c
}

// stop ends the child and tells how much processor time a request took, in µs.
func (c *child) stop() float64 {
	_ = c.stdin.Close()
	_ = c.cmd.Wait()
	used := c.cmd.ProcessState
	return float64((used.UserTime() + used.SystemTime()).Microseconds()) / float64(max(1, c.asked))
}

// serve is the service behind the proxies.
func serve(l net.Listener, _ string) {
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"ch_3welx","order":%q,"amount":4200,"currency":"EUR","status":"succeeded","customer":"c-1048576","created":1767225600,"receipt":"https://pay.example/receipts/ch_3welx"}`, r.Header.Get("Idempotency-Key"))
	}))
}

// reverse is httputil.ReverseProxy as one tunes it.
func reverse(l net.Listener, service string) {
	to := &url.URL{Scheme: "http", Host: service}
	_ = http.Serve(l, &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:  &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024, DisableCompression: true},
		BufferPool: pool{},
	})
}

// toxi is toxiproxy without toxics; it listens by itself.
func toxi(l net.Listener, service string) {
	_ = l.Close()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "peer", l.Addr().String(), service)
	if err := p.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(p.Listen)
	select {}
}
