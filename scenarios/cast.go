package scenarios

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/inject"
)

// role finds or opens the operation that a role stands for in this round.
func (c *caseRun) role(text string) (role, *live, error) {
	ro, err := parseRole(text)
	if err != nil {
		return role{}, nil, err
	}
	if op := c.ops[ro.who()]; op != nil {
		return ro, op, nil
	}
	l, err := c.cast(ro)
	if err != nil {
		return role{}, nil, err
	}
	op := c.open(l)
	c.ops[ro.who()] = op
	c.all = append(c.all, op)
	return ro, op, nil
}

// cast says what a role is: its number, and what its letter stands for.
func (c *caseRun) cast(ro role) (live, error) {
	self := c.selves[ro.op]
	for _, of := range []string{self.ID.Of, self.Key.Of} {
		if r, err := parseRole(of); err == nil && r.who() != ro.who() {
			if _, _, err := c.role(of); err != nil {
				return live{}, err
			}
		}
	}
	o := c.operationOf(c.Operation, self)
	l := live{
		Operation: o, number: c.next, block: c.next, scope: c.sys.scope(ro.scope), version: ro.version,
		value: self.Value, case_: c.Name,
	}
	c.next += c.cost(o)
	if same := c.sameLetter(ro.op); same != nil {
		l.number = same.number // the same order, in another version or sent from another scope
	}
	return l, c.identify(&l, ro, self)
}

// identify gives an operation an id and a key that look like another's.
func (c *caseRun) identify(l *live, ro role, self Self) (err error) {
	other := func(own string, get func(*live) string) func(string) (string, error) {
		return func(text string) (string, error) {
			if r, err := parseRole(text); err == nil && r.who() == ro.who() {
				return own, nil
			}
			_, op, err := c.role(text)
			if err != nil {
				return "", err
			}
			return get(op), nil
		}
	}
	id := c.id(l.number)
	base := func(op *live) string { return op.base }
	for _, a := range []Alike{self.ID, self.Key} {
		if a.How != "" {
			if l.alike, err = (Alike{Of: a.Of}).form(id, other(id, base)); err != nil {
				return fmt.Errorf("what %s looks like: %w", ro.who(), err)
			}
		}
	}
	if l.base = id; self.ID != (Alike{}) {
		if l.id, err = self.ID.form(id, other(id, base)); err != nil {
			return fmt.Errorf("an id for %s: %w", ro.who(), err)
		}
	}
	if self.Key == (Alike{}) {
		return nil
	}
	key := ownKey(id, l.version)
	get := func(op *live) string { return op.key }
	if self.Key.How != "" {
		get = func(op *live) string { return ownKey(op.base, op.version) }
	}
	if l.key, err = self.Key.form(key, other(key, get)); err != nil {
		return fmt.Errorf("a key for %s: %w", ro.who(), err)
	}
	return nil
}

// sameLetter is any operation of that letter in this round; all share one number.
func (c *caseRun) sameLetter(letter string) *live {
	for who, op := range c.ops {
		if r, _ := parseRole(who); r.op == letter {
			return op
		}
	}
	return nil
}

// way is the operation of a delivery, and how it goes.
func (c *caseRun) way(ctx context.Context, s Step) (*live, way, error) {
	ro, op, err := c.role(s.Role)
	if err != nil {
		return nil, way{}, err
	}
	w := way{variant: ro.variant, fault: c.worked(s.Fault), replica: s.Replica, actor: c.actor()}
	if s.Entry != "" {
		w.entry = c.sys.entry(s.Entry, op.Operation)
	}
	if s.Body != "" {
		if _, w.body, err = c.role(s.Body); err == nil {
			err = c.prepare(ctx, w.body)
		}
	}
	return op, w, err
}

// worked is a fault with its amount worked out.
func (r *runner) worked(f inject.Fault) inject.Fault {
	if a, ok := inUnits(f); ok {
		f.Arg = r.sys.length(a, 0).String()
	}
	return f
}
