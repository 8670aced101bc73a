package wire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// readers have the size beyond which a message is large.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

// patience is how long an answer may pause while it is collected.
var patience = time.Second

// inlet reads messages from one side and hands them on as they are, to the other.
type inlet struct {
	*bufio.Reader
	from, to net.Conn
}

func newInlet(from, to net.Conn) *inlet {
	r := readers.Get().(*bufio.Reader)
	r.Reset(from)
	return &inlet{r, from, to}
}

func (in *inlet) free() {
	in.Reset(nil)
	readers.Put(in.Reader)
}

// message is at the front of an inlet.
type message struct {
	size int // the bytes there that belong to it and were not handed on
	body body
	done bool // its last byte is among them
	keep bool // keep the last byte where nobody knows yet whether it is the last
}

// take counts what is there.
func (in *inlet) take(m *message) error {
	there, err := in.Peek(in.Buffered())
	if err != nil || m.done {
		return err
	}
	n, done, err := m.body.take(there[m.size:])
	m.size, m.done = m.size+n, done
	return err
}

// more waits for more of a message.
func (in *inlet) more(m *message) error {
	_, err := in.Peek(in.Buffered() + 1)
	if errors.Is(err, io.EOF) {
		if m.body.kind == untilEnd {
			m.done = true
			return nil
		}
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return in.take(m)
}

// collect takes what is there; the whole message, if asked to and if it is not
// large. A pause ends it too, if it has a bound.
func (in *inlet) collect(m *message, whole bool, pause time.Duration) error {
	err := in.take(m)
	for whole && err == nil && !m.done && in.Buffered() < in.Size() {
		if pause > 0 {
			_ = in.from.SetReadDeadline(time.Now().Add(pause))
		}
		err = in.more(m)
		if pause > 0 {
			_ = in.from.SetReadDeadline(time.Time{})
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
	}
	return err
}

// sendStart hands a message on until its end is there.
func (in *inlet) sendStart(m *message) error {
	for !m.done {
		keep := 0
		if m.keep && m.body.kind == untilEnd {
			keep = 1
		}
		if err := in.write(m, m.size-keep); err != nil {
			return err
		}
		if err := in.more(m); err != nil {
			return err
		}
	}
	return nil
}

// send hands on all of a message that is left.
func (in *inlet) send(m *message) error {
	m.keep = false
	if err := in.sendStart(m); err != nil {
		return err
	}
	return in.write(m, m.size)
}

func (in *inlet) write(m *message, n int) error {
	there, err := in.Peek(n)
	if err != nil || n == 0 {
		return err
	}
	if _, err := in.to.Write(there); err != nil {
		return err
	}
	m.size -= n
	_, err = in.Discard(n)
	return err
}
