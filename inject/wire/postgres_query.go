package wire

import (
	"errors"
	"fmt"
)

// mostName is the longest name of a prepared statement or portal.
const mostName = 1000

// query is the simple protocol: one text, all at once.
func (f *pgFront) query(size int) error {
	m, err := f.in.take(size, pgText)
	if err != nil {
		return err
	}
	text, _, err := pgName(m[5:], size)
	if err != nil {
		return fmt.Errorf("message Query: %w", err)
	}
	act := sqlActOf(text)
	if act.name == "" || !f.s.settle() {
		f.s.asks()
		return f.write(m)
	}
	step, action, err := f.before(act)
	if err != nil {
		return err
	}
	if action != Pass {
		return f.refuseQuery(step, act, action)
	}
	step.simple, step.sync = true, true
	return f.deliver(step, m)
}

// refuseQuery has the server fail in place of the text.
func (f *pgFront) refuseQuery(step *pgStep, act sqlAct, action Action) error {
	no, reply := newPgRefusal(act, action)
	if err := f.said(step, action, reply); err != nil {
		return err
	}
	f.s.refuse(no, "")
	f.s.asks()
	if no.rollback {
		return f.write(pgMessage('Q', pgBadText), pgMessage('Q', pgRollback))
	}
	return f.write(pgMessage('Q', pgBadText))
}

// parse remembers what a prepared statement does.
func (f *pgFront) parse(size int) error {
	m, err := f.in.take(size, pgText)
	if err != nil {
		return err
	}
	name, rest, err := pgName(m[5:], mostName)
	if err != nil {
		return fmt.Errorf("message Parse: %w", err)
	}
	text, _, err := pgName(rest, size)
	if err != nil {
		return fmt.Errorf("message Parse: %w", err)
	}
	remember(f.statements, name, sqlActOf(text))
	_, err = f.out.Write(m)
	return err
}

// bind makes a portal of a statement. One that was prepared in SQL is not known:
// it may do anything.
func (f *pgFront) bind(size int) error {
	b, err := f.in.head(size)
	if err != nil {
		return err
	}
	portal, rest, err := pgName(b, mostName)
	if err != nil {
		return fmt.Errorf("message Bind: %w", err)
	}
	name, _, err := pgName(rest, mostName)
	if err != nil {
		return fmt.Errorf("message Bind: %w", err)
	}
	act, known := f.statements[name]
	if !known && name != "" {
		act = sqlAct{name: "EXECUTE " + name, kind: sqlWrite, text: "EXECUTE " + name}
	}
	remember(f.portals, portal, pgPortal{act: act})
	return f.in.pass(f.out, size)
}

// execute makes the server act.
func (f *pgFront) execute(size int) error {
	m, err := f.in.take(size, pgBuffer)
	if err != nil {
		return err
	}
	name, _, err := pgName(m[5:], mostName)
	if err != nil {
		return fmt.Errorf("message Execute: %w", err)
	}
	portal := f.portals[name]
	if portal.act.name == "" || portal.ran || !f.s.settle() {
		return f.fetch(m)
	}
	portal.ran = true
	f.portals[name] = portal
	step, action, err := f.before(portal.act)
	if err != nil {
		return err
	}
	if action != Pass {
		return f.refuseExecute(step, portal.act, action)
	}
	sync, more, err := f.follow()
	if err != nil {
		return err
	}
	step.sync = sync
	return f.deliver(step, append([][]byte{m}, more...)...)
}

// fetch sends an Execute that is no step. The server is made to answer at once
// where no Sync follows, so that a step that comes later can wait for it.
func (f *pgFront) fetch(m []byte) error {
	f.s.executes()
	_, _ = f.out.Write(m)
	if f.in.Buffered() > 0 && !f.s.isLoose() {
		if b, _ := f.in.Peek(1); b[0] == 'S' {
			return nil
		}
	}
	return f.write(pgMessage('H', ""))
}

// follow is what makes the server answer what is sent before it: the Sync that
// the system sends next, if only Close comes before it, else a Flush of ours.
func (f *pgFront) follow() (sync bool, more [][]byte, err error) {
	for {
		kind, size, err := f.in.next()
		if err != nil || kind != 'S' && kind != 'C' || len(more) > 100 {
			return false, append(more, pgMessage('H', "")), nil // an error comes again
		}
		m, err := f.in.take(size, pgBuffer)
		if err != nil {
			return false, nil, err
		}
		if more = append(more, m); kind == 'S' {
			return true, more, nil
		}
		if err := f.forget(m[5:]); err != nil {
			return false, nil, err
		}
	}
}

// refuseExecute has the server fail in place of the statement and skip what
// comes before the next Sync.
func (f *pgFront) refuseExecute(step *pgStep, act sqlAct, action Action) error {
	no, reply := newPgRefusal(act, action)
	if err := f.said(step, action, reply); err != nil {
		return err
	}
	f.s.refuse(no, reply)
	f.rollback = no.rollback
	return f.write(pgMessage('P', "\x00"+pgBadText+"\x00\x00"))
}

// close is the end of a statement or portal.
func (f *pgFront) close(size int) error {
	b, err := f.in.head(size)
	if err == nil {
		err = f.forget(b)
	}
	if err != nil {
		return err
	}
	return f.in.pass(f.out, size)
}

// forget drops the name in a Close: of 'S' a statement, of 'P' a portal.
func (f *pgFront) forget(body []byte) error {
	if len(body) == 0 {
		return errors.New("Close: no name")
	}
	name, _, err := pgName(body[1:], mostName)
	if err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	if body[0] == 'S' {
		delete(f.statements, name)
	} else {
		delete(f.portals, name)
	}
	return nil
}
