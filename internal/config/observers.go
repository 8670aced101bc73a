package config

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

func (a *assembly) observers() error {
	for _, e := range a.Effects {
		o := scenarios.Observer{Observer: e.Observer}
		if err := a.observer(e, &o); err != nil {
			return fmt.Errorf("%s: effect %s: %w", a.Name, e.Name, err)
		}
		a.sys.Observers = append(a.sys.Observers, o)
	}
	return nil
}

// observer makes what counts; where there is an error, o is not used.
func (a *assembly) observer(e Effect, o *scenarios.Observer) (err error) {
	switch {
	case e.SQL != nil:
		o.Read, err = a.sql(e)
	case e.HTTP != nil:
		o.Read = a.api(e.HTTP, e.Scoped)
	case e.Redis != nil:
		o.Read, err = a.redis(e.Redis)
	case e.Command != nil:
		o.Read = observe.Command{Argv: e.Command, By: e.By}
	case e.SMTP != nil:
		err = a.mails(e, o)
	default:
		err = a.listen(e)
	}
	return err
}

func (a *assembly) sql(e Effect) (*observe.SQL, error) {
	db, err := observe.OpenSQL(e.SQL.URL, e.SQL.Query, a.Exclusive)
	if err == nil {
		a.closers = append(a.closers, func() { db.Close() })
	}
	return db, err
}

func (a *assembly) api(h *HTTP, scoped bool) observe.Observer {
	o := &observe.HTTP{Method: h.Method, URL: h.URL, Base: a.base, Count: h.Count, Version: h.Version, Agent: a.agent, Headers: observed(h.Headers)}
	if scoped {
		o.Scopes = map[string][]observe.Header{}
		for _, s := range a.Scopes {
			o.Scopes[s.Name] = observed(s.Headers)
		}
	}
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

func (a *assembly) redis(e *Redis) (*observe.Redis, error) {
	o, err := observe.OpenRedis(e.URL, e.Key, e.Field)
	if err == nil {
		a.closers = append(a.closers, func() { o.Close() })
	}
	return o, err
}

// mails starts a mail server, which records what it gets.
func (a *assembly) mails(e Effect, o *scenarios.Observer) error {
	s := &observe.SMTP{Name: e.Name, ID: e.SMTP.ID, PerRecipient: e.SMTP.PerRecipient}
	_, stop, err := s.Listen(e.SMTP.Listen)
	if err != nil {
		return taken(e.SMTP.Listen, err)
	}
	a.closers = append(a.closers, stop)
	o.Read, o.Attach = s, s.Attach
	return nil
}

// listen starts a stand-in.
func (a *assembly) listen(e Effect) error {
	p := e.Provider.standIn(e.Name)
	_, stop, err := p.Listen(e.Provider.Listen)
	if err != nil {
		return taken(e.Provider.Listen, err)
	}
	a.closers = append(a.closers, stop)
	a.sys.Providers[e.Name] = p
	return nil
}

func taken(address string, err error) error {
	return fmt.Errorf("can not listen on %s (is another program or run on this port?): %w", address, err)
}

// checker is what can be asked whether it is there.
type checker interface {
	Check(ctx context.Context) error
}

// ask asks one observer whether it can see.
func ask(ctx context.Context, o scenarios.Observer) error {
	if c, ok := o.Read.(checker); ok {
		return c.Check(ctx)
	}
	db, ok := o.Read.(*observe.SQL)
	if !ok {
		return nil
	}
	by, err := db.By(ctx)
	if err == nil && by != o.By {
		err = fmt.Errorf("the query's columns report the %s; say  by: %s", by, by)
	}
	return err
}
