package config

import (
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// Link is one entry of links:.
type Link struct {
	Name     string
	Protocol string
	Listen   string // "127.0.0.1:0", "unix:/tmp/.s.PGSQL.5432"
	To       string // "127.0.0.1:5432", "unix:/var/run/postgresql/.s.PGSQL.5432", "provider/card-charge"
	Toxics   []wire.Toxic
}

var linkFields = []string{"protocol", "to", "listen", "toxics"}

// anyPort is where a link listens that the file gives no address.
const anyPort = "127.0.0.1:0"

// links are those of the file, in its order.
func (r *reader) links(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, f := range v.Fields() {
		if named(f.Key, f.Name) {
			r.file.Links = append(r.file.Links, r.link(f.Name, f.Value))
		}
	}
}

func (r *reader) link(name string, v strict.Value) Link {
	v.Fields(linkFields...)
	l := Link{Name: name, Listen: anyPort, Protocol: r.linkProtocol(v.Need("protocol"))}
	l.To = r.linkTo(v.Need("to"), l.Protocol)
	if at := v.Field("listen"); at.Exists() {
		l.Listen = r.linkListen(at, l.Protocol)
	}
	l.Toxics = r.toxics(v.Field("toxics"))
	return l
}

// linkProtocol is the name of one that links know.
func (r *reader) linkProtocol(v strict.Value) string {
	var names []string
	for _, p := range protocols {
		names = append(names, p.Name)
	}
	name := r.plain(v, false)
	if name != "" && !slices.Contains(names, name) {
		v.Errorf("unknown protocol %q%s; legal here: %s", name, strict.DidYouMean(name, names), strings.Join(names, ", "))
	}
	return name
}

// linkTo is where a link leads.
func (r *reader) linkTo(v strict.Value, protocol string) string {
	to := r.plain(v, false)
	if name, ok := strings.CutPrefix(to, "provider/"); ok {
		r.standInOf(v, name, protocol)
		return to
	}
	if path, ok := strings.CutPrefix(to, "unix:"); ok {
		socket(v, path)
		return to
	}
	host, port, err := net.SplitHostPort(to)
	switch n, bad := strconv.Atoi(port); {
	case to == "":
	case err != nil || host == "" || bad != nil || n < 1 || n > 65535:
		v.Errorf("must be a host and a port, as in 127.0.0.1:5432, or unix:/path, or provider/NAME; got %q", hidePassword(to))
	default:
		r.touch(v, host)
	}
	return to
}

// standInOf holds that a link leads to a stand-in of the file.
func (r *reader) standInOf(v strict.Value, name, protocol string) {
	known := r.standIns()
	switch {
	case len(known) == 0:
		v.Errorf("provider/%s: no effect of the file is a provider", name)
	case !slices.Contains(known, name):
		v.Errorf("unknown provider %q%s; the file has %s", name, strict.DidYouMean(name, known), strings.Join(known, ", "))
	case protocol == wire.Postgres.Name:
		v.Errorf("a stand-in speaks http: say  protocol: http")
	}
}

// standIns are the names of the file's providers.
func (r *reader) standIns() (all []string) {
	for _, e := range r.file.Effects {
		if e.Provider != nil {
			all = append(all, e.Name)
		}
	}
	return all
}

var postgresSocket = regexp.MustCompile(`^\.s\.PGSQL\.[0-9]+$`)

// linkListen is where a link listens.
func (r *reader) linkListen(v strict.Value, protocol string) string {
	address := r.plain(v, false)
	path, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		listen(v, address)
		return address
	}
	if socket(v, path) && protocol == wire.Postgres.Name && !postgresSocket.MatchString(filepath.Base(path)) {
		v.Errorf("PostgreSQL's clients look for a socket by its directory and port: it must be named .s.PGSQL.PORT, as in unix:%s", filepath.Join(path, ".s.PGSQL.5432"))
	}
	return address
}

// longestSocket is how long the path of a unix socket may be on all systems.
const longestSocket = 103

// socket checks the path of a unix socket.
func socket(v strict.Value, path string) bool {
	switch {
	case !filepath.IsAbs(path) && !strings.HasPrefix(path, "/"):
		v.Errorf("a unix socket is named by its absolute path, as in unix:/run/db.sock; got %q", path)
	case len(path) > longestSocket:
		v.Errorf("the path of a unix socket may have %d bytes, this one has %d", longestSocket, len(path))
	default:
		return true
	}
	return false
}

// fixed tells whether a link listens where the file says, so that others can be
// pointed at it.
func (l Link) fixed() bool {
	_, port, err := net.SplitHostPort(l.Listen)
	return err != nil || port != "0"
}

// linked holds that something can go through each link.
func (r *reader) linked(v strict.Value) {
	for _, f := range v.Fields() {
		i := slices.IndexFunc(r.file.Links, func(l Link) bool { return l.Name == f.Name })
		if i < 0 || r.file.Links[i].fixed() || slices.ContainsFunc(r.file.Workers, func(w Worker) bool { return slices.Contains(w.names(), "link."+f.Name) }) {
			continue
		}
		if len(r.file.Workers) == 0 {
			f.Key.Errorf("nothing would go through link %s: the file has no workers, so say where it listens, as in  listen: 127.0.0.1:15432 , and let your service connect there", f.Name)
		} else {
			f.Key.Errorf("nothing would go through link %s: no worker's  env:  or  run:  has ${link.%s}, and it does not listen at an address of your choice", f.Name, f.Name)
		}
	}
}
