package config

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// Options are what a System needs to know of the run.
type Options struct {
	Run   string // its id
	Seed  uint64 // of drawn values
	Agent string // "idemcheck/0.1.0"; requests add the run

	Journal *worker.Journal // of what must not remain; nil: none is kept
	Logs    string          // the directory of what workers print, and of the socket of points; "": it is not kept
}

// System makes the file into what scenarios.Run takes. Stand-ins and links
// listen until close is called, which ends the workers first; nothing else is
// touched yet, so that the service may be started after, or its workers by
// Start. An error means that a port is taken.
func (f *File) System(opt Options) (sys scenarios.System, close func(), err error) {
	if f.Target == "" || len(f.Operations) == 0 {
		return sys, nil, fmt.Errorf("%s: target and operations are missing: only the proxy can do without", f.Name)
	}
	a, bases, err := f.assembly(opt)
	if err != nil {
		return sys, nil, err
	}
	a.sys = scenarios.System{
		Target: a.http(opt.Seed), Address: f.Target, Operations: f.operations(), Providers: map[string]*inject.Provider{},
		Replicas: len(bases), Contract: f.Contract, Limits: f.Limits, Redact: f.Redact, NoEffects: f.NoEffects, Exclusive: f.Exclusive,
	}
	for _, s := range f.Scopes {
		a.sys.Scopes = append(a.sys.Scopes, s.Name)
	}
	if err = errors.Join(a.observers(), a.ager(), a.rules()); err == nil {
		err = a.wiring(opt)
	}
	if err != nil {
		a.close()
		return scenarios.System{}, nil, err
	}
	return a.sys, a.close, nil
}

// Watch is System without what a run starts and delivers: observers, rules, and
// the stand-ins, which listen until close is called.
func (f *File) Watch(opt Options) (sys scenarios.System, close func(), err error) {
	a, _, err := f.assembly(opt)
	if err != nil {
		return sys, nil, err
	}
	a.sys = scenarios.System{Address: f.Target, Providers: map[string]*inject.Provider{}, Contract: f.Contract, Redact: f.Redact, Exclusive: f.Exclusive, Limits: f.Limits}
	if err := errors.Join(a.observers(), a.rules()); err != nil {
		a.close()
		return scenarios.System{}, nil, err
	}
	return a.sys, a.close, nil
}

func (f *File) assembly(opt Options) (*assembly, []*url.URL, error) {
	bases, err := f.addresses()
	if err != nil {
		return nil, nil, fmt.Errorf("target: %w", err)
	}
	return &assembly{File: f, base: bases[0], replicas: bases[1:], run: opt.Run, agent: opt.Agent + " run/" + opt.Run}, bases, nil
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

// close undoes what was done, the last first.
func (a *assembly) close() {
	for _, c := range slices.Backward(a.closers) {
		c()
	}
}

func (a *assembly) http(seed uint64) *target.HTTP {
	h := &target.HTTP{
		Base: a.base, Replicas: a.replicas, Operations: map[string]target.Operation{}, Scopes: map[string]target.Scope{}, Quoted: a.Contract.Quoted(), Longest: longest(a.Contract),
		Dialer: inject.Dialer{Timeout: a.Limits.Attempt}, Agent: a.agent, Run: a.run, Seed: seed, H2: a.Protocol == protocolH2,
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

// Ask asks what a System reads from whether it is there, and databases whether
// they understand their queries (each has 5 s): what they refuse is a mistake of the configuration, better
// told before the run than by cases that can not be judged.
func (f *File) Ask(ctx context.Context, sys scenarios.System) error {
	for _, o := range sys.Observers {
		if err := ask(ctx, o); err != nil {
			return fmt.Errorf("%s: effect %s: %w", f.Name, o.Name, err)
		}
	}
	if c, ok := sys.Age.(checker); ok {
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

// render is a body as it goes over the wire.
func render(b target.Body, v template.Vars) ([]byte, error) {
	if b.JSON {
		return b.Tree.JSON(v)
	}
	s, err := b.Text.Expand(v)
	return []byte(s), err
}
