package worker

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// probe asks a worker whether it answers.
type probe struct {
	addr string // where it listens
	ask  func(context.Context) error
}

// probes are those that r names.
func (r Ready) probes() (all []probe, err error) {
	if r.Addr != "" {
		all = append(all, probe{r.Addr, func(ctx context.Context) error { return connect(ctx, r.Addr) }})
	}
	if r.URL != "" {
		u, err := url.Parse(r.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("ready: URL %q, want one such as http://127.0.0.1:8080/healthz", r.URL)
		}
		port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		all = append(all, probe{net.JoinHostPort(u.Hostname(), port), func(ctx context.Context) error { return get(ctx, r.URL) }})
	}
	return all, nil
}

// taken reports whether somebody else answers: then readiness could not be seen.
func (p probe) taken(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return connect(ctx, p.addr) == nil
}

// dialer reuses addresses: a connection that a probe made by chance from the
// very port of the worker must not keep the worker from listening there.
var dialer = net.Dialer{Timeout: time.Second, Control: reuseAddress}

func connect(ctx context.Context, addr string) error {
	network := "tcp"
	if path, unix := strings.CutPrefix(addr, "unix:"); unix {
		network, addr = "unix", path
	}
	c, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		return err
	}
	return c.Close()
}

var client = http.Client{
	Timeout:       time.Second,
	Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("GET %s answers %s, want 2xx", url, resp.Status)
	}
	return nil
}
