package relay

import (
	"errors"
	"io"
	"net"
	"time"
)

// Exchange sends a raw request on c and reads the answer to it, both as they are
// framed. Hold, if any, is called when all but the last byte was sent. The caller
// sets deadlines on c, and closes it. Reusable tells whether c may carry another
// request. The answer is written without 1xx before it.
func Exchange(c net.Conn, request io.Reader, answer io.Writer, hold func()) (a Answer, reusable bool, err error) {
	x := ask{c: c, start: time.Now(), sent: make(chan error, 1)}
	first, end, err := x.first(request)
	if err != nil {
		return Answer{}, false, err
	}
	method, _, _ := cutMethod(first)
	if end && hold == nil {
		_, err := c.Write(first)
		x.sent <- err
	} else {
		go func() { x.sent <- x.send(first, request, end, hold) }()
	}
	pooled := larges.Get().(*[]byte)
	defer larges.Put(pooled)
	x.buf.b = *pooled
	a, err = x.read(method, answer)
	a.Took, a.Err = time.Since(x.start), err
	if err != nil {
		_ = c.SetDeadline(longAgo) // the sending ends
	}
	sent := <-x.sent
	a.SentAll = sent == nil
	return a, err == nil && sent == nil && !a.close && x.buf.w == x.buf.r, err
}

type ask struct {
	c     net.Conn
	start time.Time
	buf   buffer
	sent  chan error
}

// first reads the first piece of the request; end: it is all.
func (x *ask) first(request io.Reader) (b []byte, end bool, err error) {
	if known, ok := request.(interface{ Len() int }); ok && known.Len() <= largeBuffer {
		b = make([]byte, known.Len())
		_, err = io.ReadFull(request, b)
		return b, true, err
	}
	b = make([]byte, largeBuffer)
	n, err := io.ReadFull(request, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return b[:n], true, nil
	}
	return b[:n], false, err
}

// send writes the request; its last byte, if it is to be held, when hold returns.
func (x *ask) send(first []byte, rest io.Reader, end bool, hold func()) error {
	if hold == nil {
		if _, err := x.c.Write(first); err != nil || end {
			return err
		}
		_, err := io.Copy(x.c, rest)
		return err
	}
	kept := first
	for !end {
		next := make([]byte, largeBuffer)
		n, err := io.ReadFull(rest, next)
		end = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return err
		}
		if n > 0 {
			if _, err := x.c.Write(kept); err != nil {
				return err
			}
			kept = next[:n]
		}
	}
	if _, err := x.c.Write(kept[:len(kept)-1]); err != nil {
		return err
	}
	hold()
	_, err := x.c.Write(kept[len(kept)-1:])
	return err
}

// read reads the final answer.
func (x *ask) read(method []byte, to io.Writer) (a Answer, err error) {
	for {
		n, err := x.head()
		if err != nil {
			return a, err
		}
		if v := parseAnswer(x.buf.data()[:n], &a); v != nil {
			return a, v
		}
		a.Head = append([]byte(nil), a.Head...)
		a.First = time.Since(x.start)
		switch {
		case a.Status == 101:
			return a, badSwitch
		case a.Status < 200:
			x.buf.use(n)
			continue
		}
		if _, err := to.Write(a.Head); err != nil {
			return a, err
		}
		x.buf.use(n)
		err = x.body(&a, a.body(method), to)
		a.Whole = err == nil
		return a, err
	}
}

func (x *ask) head() (int, error) {
	for {
		if n := headEnd(x.buf.data(), 0); n >= 0 {
			return n, nil
		}
		if x.buf.w-x.buf.r > maxCopyHead {
			return 0, largeAnswer
		}
		if err := x.fill(); err != nil {
			return 0, ended(err, x.buf.w > x.buf.r)
		}
	}
}

const maxCopyHead = 256 << 10

func (x *ask) fill() error {
	x.buf.room(0)
	n, err := x.c.Read(x.buf.free())
	x.buf.w += n
	if n > 0 {
		return nil
	}
	return err
}

func (x *ask) body(a *Answer, f frame, to io.Writer) error {
	for {
		n, done, err := f.take(x.buf.data())
		if err != nil {
			return err
		}
		a.Length += int64(n)
		if _, err := to.Write(x.buf.data()[:n]); err != nil {
			return err
		}
		x.buf.use(n)
		if done {
			return nil
		}
		if err := x.fill(); f.toEnd && errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return ended(err, true)
		}
	}
}
