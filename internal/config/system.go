package config

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
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

// System makes the file into what scenarios.Run takes. Stand-ins listen until
// close is called; nothing else is touched yet, so that the service may be
// started after. An error means that a port is taken.
func (f *File) System(opt Options) (sys scenarios.System, close func(), err error) {
	bases, err := f.addresses()
	if err != nil {
		return sys, nil, fmt.Errorf("target: %w", err)
	}
	a := &assembly{File: f, base: bases[0], replicas: bases[1:], run: opt.Run, agent: opt.Agent + " run/" + opt.Run}
	a.sys = scenarios.System{
		Target: a.http(opt.Seed), Address: f.Target, Operations: f.operations(), Providers: map[string]*inject.Provider{},
		Replicas: len(bases), Contract: f.Contract, Limits: f.Limits, Redact: f.Redact, NoEffects: f.NoEffects, Exclusive: f.Exclusive,
	}
	for _, s := range f.Scopes {
		a.sys.Scopes = append(a.sys.Scopes, s.Name)
	}
	if err := errors.Join(a.observers(), a.ager(), a.rules()); err != nil {
		a.close()
		return scenarios.System{}, nil, err
	}
	return a.sys, a.close, nil
}

// addresses are the target and its replicas.
func (f *File) addresses() (all []*url.URL, err error) {
	for _, s := range append([]string{f.Target}, f.Replicas...) {
		u, err := url.Parse(s)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

// assembly is a System as it grows, with what must be closed after.
type assembly struct {
	*File
	sys        scenarios.System
	base       *url.URL
	replicas   []*url.URL
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
		Base: a.base, Replicas: a.replicas, Operations: map[string]target.Operation{}, Scopes: map[string]target.Scope{}, Quoted: a.Contract.Quoted(), Longest: longest(a.Contract),
		Dialer: inject.Dialer{Timeout: a.Limits.Attempt}, Agent: a.agent, Run: a.run, Seed: seed, Protocol: a.Protocol,
	}
	for _, o := range a.Operations {
		h.Operations[o.Name] = o.Operation
	}
	for _, s := range a.Scopes {
		h.Scopes[s.Name] = s.Scope
	}
	return h
}

// longest is the length of a key that the contract allows; 0: it says nothing.
func longest(c contract.Contract) int {
	for _, v := range c.Syntax.Values {
		if s, ok := strings.CutPrefix(v, "max="); ok {
			n, _ := strconv.Atoi(s) // the axis holds the form
			return n
		}
	}
	return 0
}

// operations are what the runner must know of them.
func (f *File) operations() []scenarios.Operation {
	var all []scenarios.Operation
	for _, o := range f.Operations {
		all = append(all, scenarios.Operation{
			Name: o.Name, Test: o.Test, Before: o.Before, Take: o.Take, Keyless: o.Key.In == "",
			OwnBody: o.OwnBody(), Variable: o.Variable(), JSON: o.JSONBody(),
			Values: o.Values(), Fields: o.Fields(), Versions: o.VersionCount(), EntryOf: o.EntryOf, Find: o.Find != nil,
			Anew: o.PerAttempt(), Method: o.Method, Path: o.Path.String(), Carrier: o.Key.String(), Bodyless: o.Bodyless(), Fixed: o.Key.In != "" && !o.Droppable(),
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
			o.Read, err = a.sql(e) // not read if there is an error
		case e.HTTP != nil:
			o.Read = a.api(e.HTTP)
		default:
			err = a.listen(e)
		}
		if err != nil {
			return fmt.Errorf("%s: effect %s: %w", a.Name, e.Name, err)
		}
		a.sys.Observers = append(a.sys.Observers, o)
	}
	return nil
}

func (a *assembly) sql(e Effect) (*observe.SQL, error) {
	db, err := observe.OpenSQL(e.SQL.URL, e.SQL.Query, a.Exclusive)
	if err == nil {
		a.closers = append(a.closers, func() { db.Close() })
	}
	return db, err
}

// Ask asks the databases of a System whether they understand their queries
// (each has 5 s): what they refuse is a mistake of the configuration, better
// told before the run than by cases that can not be judged.
func (f *File) Ask(ctx context.Context, sys scenarios.System) error {
	for _, o := range sys.Observers {
		db, ok := o.Read.(*observe.SQL)
		if !ok {
			continue
		}
		by, err := db.By(ctx)
		if err == nil && by != o.By {
			err = fmt.Errorf("the query's columns report the %s; say  by: %s", by, by)
		}
		if err != nil {
			return fmt.Errorf("%s: effect %s: %w", f.Name, o.Name, err)
		}
	}
	if c, ok := sys.Age.(interface{ Check(context.Context) error }); ok {
		if err := c.Check(ctx); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, c := range sys.Checks {
		if err := askRule(ctx, c); err != nil {
			return fmt.Errorf("%s: rule %s: %w", f.Name, c.Name, err)
		}
	}
	return nil
}

func (a *assembly) api(h *HTTP) observe.Observer {
	o := &observe.HTTP{Method: h.Method, URL: h.URL, Base: a.base, Count: h.Count, Agent: a.agent}
	o.Headers = observed(h.Headers)
	a.closers = append(a.closers, func() { o.Close() })
	return o
}

// observed are headers as the package observe has them.
func observed(headers []target.Header) (hs []observe.Header) {
	for _, h := range headers {
		hs = append(hs, observe.Header{Name: h.Name, Value: h.Value})
	}
	return hs
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
