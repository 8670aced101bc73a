package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// pgHold is how much of the reply to one step is held back at most. Of a longer
// one (a write that returns many rows) the system sees the rows before the hook
// was asked, but not the end.
const pgHold = 1 << 20

// pgServer are the messages of a server.
const pgServer = "RSKvNEACDTtn123sIZGHWdcV"

// pgBack moves what the server sends.
type pgBack struct {
	c    *conn
	s    *pgSession
	in   pgMessages
	out  *bufio.Writer
	held bytes.Buffer
}

func newPgBack(c *conn, s *pgSession, up *bufio.Reader) *pgBack {
	return &pgBack{c: c, s: s, in: pgMessages{up}, out: bufio.NewWriterSize(c.down, pgBuffer)}
}

// run ends with nil when the server has said all.
func (b *pgBack) run() error {
	defer b.s.close()
	for {
		if !b.in.whole() {
			if err := b.out.Flush(); err != nil {
				return err
			}
		}
		kind, size, err := b.in.next()
		if errors.Is(err, io.EOF) {
			return b.end()
		}
		if err == nil {
			err = b.message(kind, size)
		}
		if err != nil {
			return err
		}
	}
}

// end hands on the end of the server.
func (b *pgBack) end() error {
	_, _ = b.out.Write(b.held.Bytes())
	if err := b.out.Flush(); err != nil {
		return err
	}
	closeWrite(b.c.down)
	return nil
}

func (b *pgBack) message(kind byte, size int) error {
	fate := pgPass
	if strings.IndexByte(pgServer, kind) < 0 {
		return fmt.Errorf("no message of a PostgreSQL server begins with %q", kind)
	}
	if strings.IndexByte(pgTold, kind) >= 0 {
		body, err := b.in.head(size)
		if err != nil {
			return err
		}
		if fate, err = b.s.came(kind, body); err != nil {
			return err
		}
	}
	switch fate {
	case pgDrop:
		return b.in.drop(size)
	case pgAnswer:
		_, _ = b.out.Write(b.s.answer)
		return b.in.drop(size)
	case pgRelay:
		b.release()
		return b.in.pass(b.out, size)
	}
	if err := b.keep(kind, size); err != nil || fate != pgEnd {
		return err
	}
	return b.after()
}

// keep holds a message back while a step is under way. Rows beyond the limit go
// on; what says that the step is done does not.
func (b *pgBack) keep(kind byte, size int) error {
	if !b.s.holds() {
		return b.in.pass(b.out, size)
	}
	if b.held.Len()+size > pgHold {
		b.release()
	}
	if size <= pgHold {
		return b.in.pass(&b.held, size)
	}
	if strings.IndexByte("CsIEZ", kind) >= 0 {
		_, err := b.in.take(size, pgHold)
		return err
	}
	return b.in.pass(b.out, size)
}

// release hands on what was held back.
func (b *pgBack) release() {
	_, _ = b.out.Write(b.held.Bytes()) // an error comes again at Flush
	b.held.Reset()
	if b.held.Cap() > pgBuffer {
		b.held = bytes.Buffer{}
	}
}

// after asks the hook about the step that has ended.
func (b *pgBack) after() error {
	if b.c.step(b.s.result()) != Pass {
		b.c.cut()
		return net.ErrClosed
	}
	b.s.ended()
	b.release()
	return b.out.Flush()
}
