package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// isLoopback tells whether a host is this machine. Names other than localhost
// are not looked up: what they mean can change between the check and the call.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// touch tells whether a host may be touched, and says what allows it if not.
func (r *reader) touch(v strict.Value, host string) bool {
	if isLoopback(host) || slices.ContainsFunc(r.file.Allow, func(a string) bool { return strings.EqualFold(a, host) }) {
		return true
	}
	v.Errorf("host %s is not allowed: it is not on loopback; if this is a test system, add   allow: [%s]", host, host)
	return false
}

// allow are host names and addresses, without port.
func (r *reader) allow(v strict.Value) []string {
	var hosts []string
	if !v.Exists() {
		return nil
	}
	for _, item := range v.List() {
		s := r.plain(item, false)
		_, err := netip.ParseAddr(s)
		if err != nil && (strings.ContainsAny(s, "/:*@ ")) {
			item.Errorf("must be the name or address of a host, without scheme, port and *; got %q", s)
			continue
		}
		if s != "" {
			hosts = append(hosts, s)
		}
	}
	return hosts
}

// touchDatabase is touch for a database URL; a file and a socket touch no host.
func (r *reader) touchDatabase(v strict.Value, text string) {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "mysql" || u.Scheme == "mariadb") && !u.Query().Has("socket") {
		r.touch(v, u.Hostname())
	}
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return // what can not be read was said by who opens it, without the password
	}
	hosts := u.Host + "," + u.Query().Get("host")
	if hosts == "," {
		hosts, _ = r.lookup("PGHOST") // the driver's way to fill the gap
	}
	if _, service := r.lookup("PGSERVICE"); strings.Trim(hosts, ",") == "" && (service || u.Query().Has("service")) {
		v.Errorf("the host comes from a service file: write it into the URL, so that it can be checked")
		return
	}
	for _, h := range strings.Split(hosts, ",") {
		if name, _, err := net.SplitHostPort(h); err == nil {
			h = name
		}
		h = strings.Trim(h, "[]")
		socket := h == "" || strings.HasPrefix(h, "/") || strings.HasPrefix(h, "@")
		if !socket && !r.touch(v, h) {
			return
		}
	}
}

// listen checks the address of a stand-in.
func listen(v strict.Value, address string) {
	if address == "" {
		return
	}
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
		v.Errorf("must be an address and a port to listen on, as in 127.0.0.1:9100; got %q", address)
	}
}
