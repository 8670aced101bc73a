package config

import (
	"context"
	"fmt"
	"net/url"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// Options are what a System needs to know of the run.
type Options struct {
	Run   string // its id
	Seed  uint64 // of drawn values
	Agent string // "idemcheck/0.1.0"; requests add the run
}

// System makes the file into what scenarios.Run takes. Databases are asked
// whether they understand their queries (each has 5 s), and stand-ins listen
// until close is called. An error means that the configuration does not fit
// the world: a table or column that is not there, a port that is taken.
func (f *File) System(opt Options) (sys scenarios.System, close func(), err error) {
	base, err := url.Parse(f.Target)
	if err != nil {
		return sys, nil, fmt.Errorf("target: %w", err)
	}
	a := &assembly{File: f, base: base, run: opt.Run, agent: opt.Agent + " run/" + opt.Run}
	a.sys = scenarios.System{
		Target: a.http(opt.Seed), Address: f.Target, Operations: f.operations(), Providers: map[string]*inject.Provider{},
		Contract: f.Contract, Limits: f.Limits, Redact: f.Redact, NoEffects: f.NoEffects, Exclusive: f.Exclusive,
	}
	for _, s := range f.Scopes {
		a.sys.Scopes = append(a.sys.Scopes, s.Name)
	}
	if err := a.observers(); err != nil {
		a.close()
		return scenarios.System{}, nil, err
	}
	return a.sys, a.close, nil
}

// assembly is a System as it grows, with what must be closed after.
type assembly struct {
	*File
	sys        scenarios.System
	base       *url.URL
	run, agent string
	closers    []func()
}

func (a *assembly) close() {
	for _, c := range a.closers {
		c()
	}
}

func (a *assembly) http(seed uint64) *target.HTTP {
	h := &target.HTTP{
		Base: a.base, Operations: map[string]target.Operation{}, Scopes: map[string]target.Scope{}, Quoted: a.Contract.Quoted(),
		Dialer: inject.Dialer{Timeout: a.Limits.Attempt}, Agent: a.agent, Run: a.run, Seed: seed,
	}
	for _, o := range a.Operations {
		h.Operations[o.Name] = o.Operation
	}
	for _, s := range a.Scopes {
		h.Scopes[s.Name] = s.Scope
	}
	return h
}

// operations are what the runner must know of them.
func (f *File) operations() []scenarios.Operation {
	var all []scenarios.Operation
	for _, o := range f.Operations {
		all = append(all, scenarios.Operation{
			Name: o.Name, Test: o.Test, Before: o.Before, Take: o.Take, Keyless: o.Key.In == "",
			OwnBody: o.OwnBody(), Variable: o.Variable(), JSON: o.JSONBody(),
		})
	}
	return all
}

func (a *assembly) observers() error {
	for _, e := range a.Effects {
		o := scenarios.Observer{Observer: e.Observer}
		var err error
		switch {
		case e.SQL != nil:
			o.Read, o.By, err = a.sql(e)
		case e.HTTP != nil:
			o.Read = a.api(e.HTTP)
		default:
			err = a.listen(e)
		}
		if err != nil {
			return fmt.Errorf("effect %s: %w", e.Name, err)
		}
		a.sys.Observers = append(a.sys.Observers, o)
	}
	for _, r := range a.Rules {
		db, err := observe.OpenSQL(r.URL, r.Query, a.Exclusive)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.Name, err)
		}
		a.closers = append(a.closers, func() { db.Close() })
		a.sys.Checks = append(a.sys.Checks, scenarios.Check{Name: r.Name, Rows: func() ([]string, int, error) {
			return db.Rows(context.Background(), a.run)
		}})
	}
	return nil
}

// sql asks the database at once what the query reports: a mistake in it is one
// of the configuration.
func (a *assembly) sql(e Effect) (observe.Observer, string, error) {
	db, err := observe.OpenSQL(e.SQL.URL, e.SQL.Query, a.Exclusive)
	if err != nil {
		return nil, "", err
	}
	a.closers = append(a.closers, func() { db.Close() })
	by, err := db.By(context.Background())
	if err == nil && e.By != "" && e.By != by {
		err = fmt.Errorf("by: %s, but the query's columns report the %s", e.By, by)
	}
	return db, by, err
}

func (a *assembly) api(h *HTTP) observe.Observer {
	o := &observe.HTTP{Method: h.Method, URL: h.URL, Base: a.base, Count: h.Count, Agent: a.agent}
	for _, header := range h.Headers {
		o.Headers = append(o.Headers, observe.Header{Name: header.Name, Value: header.Value})
	}
	a.closers = append(a.closers, func() { o.Close() })
	return o
}

// listen starts a stand-in.
func (a *assembly) listen(e Effect) error {
	p := e.Provider.standIn(e.Name)
	_, stop, err := p.Listen(e.Provider.Listen)
	if err != nil {
		return fmt.Errorf("can not listen on %s (is another program or run on this port?): %w", e.Provider.Listen, err)
	}
	a.closers = append(a.closers, stop)
	a.sys.Providers[e.Name] = p
	return nil
}

// render is a body as it goes over the wire.
func render(b target.Body, v template.Vars) ([]byte, error) {
	if b.JSON {
		return b.Tree.JSON(v)
	}
	s, err := b.Text.Expand(v)
	return []byte(s), err
}
