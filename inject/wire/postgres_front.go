package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// pgFront moves what the system sends. What only prepares a statement (Parse,
// Bind, Describe) waits in out until something makes the server act, so that of a
// step that is cut nothing was delivered.
type pgFront struct {
	c          *conn
	s          *pgSession
	in         pgMessages
	out        *bufio.Writer
	statements map[string]sqlAct
	portals    map[string]pgPortal
	rollback   bool // a COMMIT was refused: the server must roll back at the next Sync
}

// A pgPortal is a statement with its parameters.
type pgPortal struct {
	act sqlAct
	ran bool // what it did is done: a further Execute only fetches more rows
}

func newPgFront(c *conn, s *pgSession, down *bufio.Reader) *pgFront {
	return &pgFront{c: c, s: s, in: pgMessages{down}, out: bufio.NewWriterSize(c.up, pgBuffer), statements: map[string]sqlAct{}, portals: map[string]pgPortal{}}
}

// run ends with nil when the system has said all.
func (f *pgFront) run() error {
	for {
		kind, size, err := f.in.next()
		if errors.Is(err, io.EOF) {
			if err = f.out.Flush(); err == nil {
				closeWrite(f.c.up)
			}
			return err
		}
		if err == nil {
			err = f.message(kind, size)
		}
		if err != nil {
			return err
		}
	}
}

func (f *pgFront) message(kind byte, size int) error {
	if step := f.s.wait(); step != nil {
		return f.copy(step, kind, size)
	}
	switch kind {
	case 'Q':
		return f.query(size)
	case 'P':
		return f.parse(size)
	case 'B':
		return f.bind(size)
	case 'E':
		return f.execute(size)
	case 'S':
		return f.sync(size)
	case 'C':
		return f.close(size)
	case 'D':
		return f.in.pass(f.out, size)
	case 'F':
		f.s.asks()
	case 'H', 'p', 'X', 'd', 'c', 'f':
	default:
		return fmt.Errorf("no message of PostgreSQL begins with %q", kind)
	}
	return f.send(size)
}

// send hands on the next message and all that waits.
func (f *pgFront) send(size int) error {
	if err := f.in.pass(f.out, size); err != nil {
		return err
	}
	return f.flush()
}

// flush hands on what waits, unless more data of a COPY is here already.
func (f *pgFront) flush() error {
	if f.in.Buffered() > 0 {
		if b, _ := f.in.Peek(1); b[0] == 'd' {
			return nil
		}
	}
	return f.out.Flush()
}

// copy moves the data of a COPY; its end makes the server act.
func (f *pgFront) copy(step *pgStep, kind byte, size int) error {
	switch kind {
	case 'd', 'X', 'S', 'H': // the server ignores the last two here
		return f.send(size)
	case 'c', 'f':
	default:
		return fmt.Errorf("a message %q within the data of a COPY", kind)
	}
	m, err := f.in.take(size, pgBuffer)
	if err != nil {
		return err
	}
	if step.simple {
		f.s.resume(step, true)
		return f.write(m)
	}
	sync, more, err := f.follow()
	if err != nil {
		return err
	}
	f.s.resume(step, sync)
	return f.write(append([][]byte{m}, more...)...)
}

// before asks the hook about a step; an error: it is cut.
func (f *pgFront) before(act sqlAct) (*pgStep, Action, error) {
	step := &pgStep{Step: Step{Name: act.name, Text: act.text, Call: f.c.call(), Within: f.s.isWithin()}, kind: act.kind}
	switch action := f.c.step(step.Step); {
	case action == Pass, action == ReadOnly && act.kind&(sqlWrite|sqlLock) == 0:
		return step, Pass, nil
	case action == Refuse, action == ReadOnly:
		return step, action, nil
	}
	f.c.cut()
	return nil, Cut, net.ErrClosed
}

// deliver sends the messages of a step that make the server act. What comes next
// waits until it has ended.
func (f *pgFront) deliver(step *pgStep, messages ...[]byte) error {
	under := f.s.begin(step)
	if err := f.write(messages...); err != nil || under {
		return err
	}
	return f.notDone(step, step.Reply)
}

// write sends messages and all that waits.
func (f *pgFront) write(messages ...[]byte) error {
	for _, m := range messages {
		_, _ = f.out.Write(m) // an error comes again at Flush
	}
	return f.out.Flush()
}

// said tells the hook that a write met a server that takes none. Refuse is told
// by who asked for it.
func (f *pgFront) said(step *pgStep, action Action, reply string) error {
	if action != ReadOnly {
		return nil
	}
	return f.notDone(step, reply)
}

// notDone ends a step that the server did not do.
func (f *pgFront) notDone(step *pgStep, reply string) error {
	step.Phase, step.Reply, step.Refused = After, reply, true
	if f.c.step(step.Step) != Pass {
		f.c.cut()
		return net.ErrClosed
	}
	return nil
}

// remember keeps a name; too many are forgotten all at once.
func remember[T any](names map[string]T, name string, what T) {
	if len(names) >= pgNames {
		clear(names)
	}
	names[strings.Clone(name)] = what
}
