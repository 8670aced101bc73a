package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/internal/template"
)

// wiring opens the links, where the points of code meet the tool, and makes the
// workers that are started with their addresses.
func (a *assembly) wiring(opt Options) error {
	vars := template.Vars{Run: a.run, Values: map[string]string{}}
	for name, p := range a.sys.Providers {
		vars.Values["provider."+name] = p.URL()
	}
	for _, l := range a.Links {
		open, err := a.link(l, opt.Journal)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		a.sys.Links = append(a.sys.Links, open)
		vars.Values["link."+l.Name] = l.address(open.Addr())
	}
	if slices.ContainsFunc(a.Workers, func(w Worker) bool { return w.Points }) {
		if err := a.points(opt); err != nil {
			return err
		}
	}
	return a.workers(opt, vars)
}

// address is how a worker is told where a link listens: host and port, or the
// path of a socket. PostgreSQL's clients want its directory.
func (l Link) address(addr string) string {
	path, unix := strings.CutPrefix(addr, "unix:")
	if unix && l.Protocol == wire.Postgres.Name {
		return filepath.Dir(path)
	}
	return path
}

func (a *assembly) link(l Link, j *worker.Journal) (*wire.Link, error) {
	if host, port, err := net.SplitHostPort(l.Listen); err == nil {
		l.Listen = net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
	}
	if err := note(j, l.Listen); err != nil {
		return nil, err
	}
	if name, ok := strings.CutPrefix(l.To, "provider/"); ok {
		l.To = strings.TrimPrefix(a.sys.Providers[name].URL(), "http://")
	}
	open, err := wire.Open(wire.Config{Name: l.Name, Protocol: protocol(l.Protocol), Listen: l.Listen, To: l.To, Toxics: l.Toxics})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() { open.Close() })
	return open, nil
}

// note tells the journal of a socket that must not remain.
func note(j *worker.Journal, address string) error {
	if path, unix := strings.CutPrefix(address, "unix:"); unix {
		return j.File(path)
	}
	return nil
}

// points is where points of code meet the tool.
func (a *assembly) points(opt Options) error {
	dir, err := filepath.Abs(opt.Logs)
	if opt.Logs == "" {
		if dir, err = os.MkdirTemp("", "idemcheck-"); err == nil {
			a.closers = append(a.closers, func() { os.RemoveAll(dir) })
		}
	}
	if err != nil {
		return err
	}
	if a.sys.Points, err = wire.OpenPoints(dir); err != nil {
		return err
	}
	a.closers = append(a.closers, func() { a.sys.Points.Close() })
	_, address, _ := strings.Cut(a.sys.Points.Env(), "=*=")
	return note(opt.Journal, address)
}

func (a *assembly) workers(opt Options, vars template.Vars) error {
	for _, w := range a.Workers {
		c := worker.Config{Name: w.Name, Dir: w.Dir, Ready: w.Ready, Log: w.Log}
		if c.Log == "" && opt.Logs != "" {
			c.Log = filepath.Join(opt.Logs, w.Name+".log")
		}
		var wrong error
		fill := func(t template.Text) string {
			s, err := t.Expand(vars)
			wrong = errors.Join(wrong, err)
			return s
		}
		for _, t := range w.Args {
			c.Args = append(c.Args, fill(t))
		}
		for _, v := range w.Env {
			c.Env = append(c.Env, v.Name+"="+fill(v.Value))
		}
		if w.Points {
			c.Env = append(c.Env, a.sys.Points.Env())
		}
		if wrong != nil {
			return fmt.Errorf("%s: worker %s: %w", a.Name, w.Name, wrong)
		}
		made := worker.New(c, opt.Journal)
		a.sys.Workers = append(a.sys.Workers, made)
		a.closers = append(a.closers, func() {
			made.Resume() // one that stands still can not end by itself
			made.Stop()
		})
	}
	return nil
}
