package scenarios

import (
	"context"
	"slices"
	"sync"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// store is what the runner needs of a link.
type store interface {
	Name() string
	Down()
	Up()
	Err() error // what it could not understand: moments may be missing
}

// linkStep takes what is behind links away, or lets it refuse writes, or brings it back.
func (c *caseRun) linkStep(ctx context.Context, s Step) error {
	for _, ro := range c.Plan.roles() { // what must run before them can not any more
		_, op, err := c.role(ro.who())
		if err == nil {
			err = c.prepare(ctx, op)
		}
		if err != nil {
			return err
		}
	}
	for _, l := range c.linksOf(s) {
		c.up(l)
		if c.away == nil {
			c.away = map[store]func(){}
		}
		switch s.Do {
		case doDown:
			l.Down()
			c.away[l] = l.Up
			c.did(history.MarkDown, "link/"+l.Name())
		case doReadOnly:
			c.away[l] = c.readOnly(l)
			c.did(history.MarkReadOnly, "link/"+l.Name())
		}
	}
	return nil
}

// up brings back what is behind a link, if it is away.
func (c *caseRun) up(l store) {
	if undo := c.away[l]; undo != nil {
		delete(c.away, l)
		undo()
		c.did(history.MarkUp, "link/"+l.Name())
	}
}

// readOnly lets what is behind a link refuse all writes; the result undoes it.
// It has fired when it refused one.
func (c *caseRun) readOnly(l store) (undo func()) {
	c.runner.armed(c.Name, "", inject.ReadOnly, 1)
	var once sync.Once
	a := c.board.arm(strike{phase: wire.Before, always: true, match: func(s wire.Step) bool { return s.Link == l.Name() }, do: func(s wire.Step) wire.Action {
		if !writeStep.MatchString(s.Moment()) {
			return wire.ReadOnly // which lets pass what does not write
		}
		once.Do(func() {
			c.rec.Add(history.Event{Kind: history.Fault, Name: inject.ReadOnly.Name, Case: c.Name, Actor: tool, Attrs: map[string]string{history.AttrMoment: s.Moment()}}, nil)
		})
		return wire.ReadOnly
	}})
	return a.disarm
}

// linksOf are the links that a step means: that of a name, or those on which the
// operation writes what stays.
func (c *caseRun) linksOf(s Step) (all []store) {
	if s.whose() != "" {
		return find(c.links, s.whose())
	}
	for _, l := range c.links {
		if slices.ContainsFunc(c.learned[c.Operation], func(m learned) bool { return m.link == l.Name() && m.stays() }) {
			all = append(all, l)
		}
	}
	return all
}
