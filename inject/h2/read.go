package h2

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/idemcheck/idemcheck/inject"
)

// stream is one exchange. What is not a channel is guarded by conn.mu until
// done is closed.
type stream struct {
	id      uint32
	window  int64
	over    bool // nothing more is to be sent or received
	began   chan struct{}
	done    chan struct{}
	first   time.Time // when the answer began
	status  string
	header  http.Header
	body    []byte
	size    int
	err     error // why the answer is not whole
	garbage bool
}

// read takes frames until the connection ends.
func (c *conn) read() {
	defer close(c.ended)
	for {
		f, err := c.framer.ReadFrame()
		var bad http2.StreamError
		switch {
		case errors.As(err, &bad):
			c.fail(bad.StreamID, fmt.Errorf("no HTTP/2 answer: %w", bad), true)
			continue
		case err != nil:
			c.breakOff(err)
			return
		}
		if err := c.frameCame(f); err != nil {
			c.breakOff(err)
			return
		}
	}
}

// frameCame handles one frame; an error ends the connection.
func (c *conn) frameCame(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		if f.IsAck() {
			return nil
		}
		return c.write(frames(func(w *http2.Framer) error { return w.WritePing(true, f.Data) }))
	case *http2.WindowUpdateFrame:
		return c.grow(f.StreamID, int64(f.Increment))
	case *http2.MetaHeadersFrame:
		c.headersCame(f)
	case *http2.DataFrame:
		c.dataCame(f)
	case *http2.RSTStreamFrame:
		c.fail(f.StreamID, http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode}, false)
	case *http2.GoAwayFrame:
		c.goAway(f)
	case *http2.PushPromiseFrame:
		return errors.New("the server pushes, though it was told not to")
	}
	return nil
}

// settings takes what the server wants, and says so.
func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	c.mu.Lock()
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID {
		case http2.SettingMaxConcurrentStreams:
			c.most = s.Val
		case http2.SettingMaxFrameSize:
			c.frame = int(min(s.Val, 1<<20))
		case http2.SettingInitialWindowSize:
			for _, st := range c.streams {
				st.window += int64(s.Val) - c.initial
			}
			c.initial = int64(s.Val)
		}
		return nil
	})
	c.ready = true
	c.changed.Broadcast()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.write(frames(func(w *http2.Framer) error { return w.WriteSettingsAck() }))
}

var errWindow = errors.New("the server let a window grow too far")

func (c *conn) grow(id uint32, by int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := &c.window
	if id != 0 {
		s := c.streams[id]
		if s == nil {
			return nil
		}
		to = &s.window
	}
	if *to += by; *to > window {
		return errWindow
	}
	c.changed.Broadcast()
	return nil
}

func (c *conn) headersCame(f *http2.MetaHeadersFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[f.StreamID]
	if s == nil || s.over {
		return
	}
	s.start()
	status := f.PseudoValue("status")
	n, err := strconv.Atoi(status)
	switch {
	case s.status != "": // trailers
	case err != nil || n < 100 || n > 599 || f.Truncated:
		s.err, s.garbage = fmt.Errorf("answer: status %q, header whole %v", status, !f.Truncated), true
		c.finish(s)
		return
	case n >= 200:
		s.status, s.header = status, http.Header{}
		for _, h := range f.RegularFields() {
			s.header.Add(h.Name, h.Value)
		}
	}
	if f.StreamEnded() {
		c.finish(s)
	}
}

func (c *conn) dataCame(f *http2.DataFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[f.StreamID]
	if s == nil || s.over {
		return
	}
	s.start()
	b := f.Data()
	if s.size += len(b); s.size > or(c.d.Read, 16<<20) {
		s.err = fmt.Errorf("its body has no end: the answer is longer than the limit of %d bytes", or(c.d.Read, 16<<20))
		c.finish(s)
		return
	}
	s.body = append(s.body, b[:max(0, min(len(b), or(c.d.Limit, 1<<20)-len(s.body)))]...)
	if f.StreamEnded() {
		c.finish(s)
	}
}

// start notes when the answer began.
func (s *stream) start() {
	if s.first.IsZero() {
		s.first = time.Now()
		close(s.began)
	}
}

// finish ends a stream, with the lock held.
func (c *conn) finish(s *stream) {
	if s.over {
		return
	}
	s.over = true
	if s.first.IsZero() {
		close(s.began)
	}
	close(s.done)
	c.changed.Broadcast()
}

// fail ends a stream before its answer was whole.
func (c *conn) fail(id uint32, err error, garbage bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil && !s.over {
		s.err, s.garbage = err, garbage
		c.finish(s)
	}
}

// goneAway says that the server has ended the connection (GOAWAY, RFC 9113, 6.8).
type goneAway http2.ErrCode

func (g goneAway) Error() string {
	return "the server ended the connection (GOAWAY): " + http2.ErrCode(g).String()
}

// goAway ends the streams that the server will not look at.
func (c *conn) goAway(f *http2.GoAwayFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.streams {
		if id > f.LastStreamID && !s.over {
			s.err = goneAway(f.ErrCode)
			c.finish(s)
		}
	}
}

// breakOff ends all streams with the connection.
func (c *conn) breakOff(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = err
	for _, s := range c.streams {
		if !s.over {
			s.err = err
			c.finish(s)
		}
	}
	c.changed.Broadcast()
}

// answer is what the caller saw, when the stream is done.
func (s *stream) answer(d *Dialer) inject.Answer {
	cut := s.size > len(s.body)
	if s.err == nil && s.status == "" {
		s.err, s.garbage = errors.New("the stream ended without an answer"), true
	}
	if s.err == nil {
		return inject.Answer{Status: s.status, Header: s.header, Body: s.body, Cut: cut}
	}
	a := inject.Failed(s.err, !s.first.IsZero())
	var reset http2.StreamError
	var away goneAway
	switch {
	case s.garbage:
		a.Status = "garbage"
	case s.status != "" && a.Status != "timeout":
		a.Status = "cut-off"
	case errors.As(s.err, &reset), errors.As(s.err, &away):
		a.Status = "reset"
	}
	a.Body, a.Cut, a.Err = s.body, s.status != "", fmt.Errorf("answer%s: %w", strings.TrimRight(" "+s.status, " "), s.err)
	return a
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
