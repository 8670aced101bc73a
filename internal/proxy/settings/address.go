package settings

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Address is where an upstream is dialled and what is spoken there.
type Address struct {
	Scheme  string // http, https or h2c
	Network string // tcp or unix
	Dial    string // "127.0.0.1:9000", or the path of a socket
	Host    string // without the port; "" of a socket
}

// ParseAddress reads http://127.0.0.1:9000, https://..., h2c://... or
// unix:/run/service.sock, where a service speaks HTTP/1.1 without TLS.
func ParseAddress(s string) (Address, error) {
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		if path = strings.TrimPrefix(path, "//"); path == "" {
			return Address{}, fmt.Errorf("must name the path of a socket, as in unix:/run/service.sock; got %q", s)
		}
		return Address{Scheme: "http", Network: "unix", Dial: path}, nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || !strings.Contains(" http https h2c ", " "+u.Scheme+" "):
		return Address{}, fmt.Errorf("must be a URL such as http://127.0.0.1:9000 (or https:, h2c:, unix:/path); got %q", s)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return Address{}, fmt.Errorf("must be a URL of a host and a port only: paths pass as they are; got %s", u.Redacted())
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "h2c": "80", "https": "443"}[u.Scheme]
	}
	return Address{Scheme: u.Scheme, Network: "tcp", Dial: net.JoinHostPort(u.Hostname(), port), Host: u.Hostname()}, nil
}

// ParseListen reads 127.0.0.1:8080, :8080 (on loopback) or unix:/run/p.sock.
func ParseListen(s string) (network, address string, err error) {
	if path, ok := strings.CutPrefix(s, "unix:"); ok && path != "" {
		return "unix", path, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil || port == "" {
		return "", "", fmt.Errorf("must be an address and a port, as in 127.0.0.1:8080, or unix:/path; got %q", s)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return "tcp", net.JoinHostPort(host, port), nil
}

// IsLoopback tells whether a host is this machine; other names are not looked up.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
