package relay

import (
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"time"
)

// A conn is one connection of a caller with the one to the service behind it.
type conn struct {
	s     *Server
	hooks Hooks

	c      net.Conn
	in     buffer
	from   reader // c
	to     writer // c
	ended  bool   // the caller sends no more
	smallI *[]byte

	up     net.Conn // nil: none yet, or closed; set under s.mu
	out    buffer
	says   reader // up
	asks   writer // up
	pulse  pulse
	smallO *[]byte

	r     Request
	a     Answer
	act   *Act
	idle  bool   // no byte of a request has come
	frame frame  // of the request's body
	have  int    // bytes of in.data() that belong to the request
	all   bool   // which are the whole request
	peek  []byte // of a chunked body; of use again and again
	now   time.Time

	first   time.Duration // to the head that is read
	given   bool          // a byte of the answer went to the caller
	sentAll bool          // the request was wholly sent
	spare   bool          // the service said more than its answer
	lingers bool          // the caller's connection is to be closed gently
	pump    *pump
	watch   *watch
	stopped atomic.Bool // the pump is to end
}

func newConn(s *Server, c net.Conn) *conn {
	k := &conn{s: s, c: c, hooks: s.Open(c)}
	k.smallI, k.smallO = smalls.Get().(*[]byte), smalls.Get().(*[]byte)
	k.in.b, k.out.b = *k.smallI, *k.smallO
	k.from = reader{c: c, early: k.leaves}
	k.to = writer{c: c, stall: s.StallTimeout}
	return k
}

// serve relays one request after the other. With odd, the connection is open and
// the rest is what was read of it.
func (k *conn) serve() (rest []byte, odd bool) {
	defer k.free()
	k.now = time.Now()
	for {
		v, err := k.request()
		switch {
		case err != nil:
			_ = k.c.Close()
			return nil, false
		case v != nil && v.status == 0 && k.s.Odd != nil:
			return slices.Clone(k.in.data()), true
		case v != nil && v.status == 0:
			k.refuse(notCarriedHere)
			return nil, false
		case v != nil:
			k.refuse(v)
			return nil, false
		}
		if !k.exchange() {
			return nil, false
		}
		if k.odd() {
			return slices.Clone(k.in.data()), true
		}
		k.in.shrink()
		k.out.shrink()
	}
}

// free gives back what the connection held.
func (k *conn) free() {
	k.hangUp()
	smalls.Put(k.smallI)
	smalls.Put(k.smallO)
}

// leaves: a time-out that came early ends the reading. The pump was told to end, or
// the server drains and no byte of a request has come.
func (k *conn) leaves() bool { return k.stopped.Load() || k.idle && k.s.draining.Load() }

// fill reads more of what the caller sends.
func (k *conn) fill(until time.Time) error {
	if k.ended {
		return io.EOF
	}
	k.in.room(0)
	n, err := k.from.read(k.in.free(), until)
	k.in.w += n
	if n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) {
		k.ended = true
	}
	return err
}

// request reads the head of the next request and the start of its body.
func (k *conn) request() (*verdict, error) {
	head, v, err := k.head()
	if v != nil || err != nil {
		return v, err
	}
	if v := parseRequest(k.in.data()[:head], &k.r); v != nil {
		return v, nil
	}
	k.now = time.Now()
	k.r.Start = k.now
	return k.begin(head)
}

// head reads until there is a whole head, and tells its length.
func (k *conn) head() (int, *verdict, error) {
	until, looked, started := k.now.Add(k.s.IdleTimeout), 0, false
	for {
		data := k.in.data()
		if n := headEnd(data, looked); n >= 0 {
			if n > k.s.MaxHead {
				return 0, largeHead, nil
			}
			return n, nil, nil
		}
		switch {
		case len(data) > k.s.MaxHead:
			return 0, largeHead, nil
		case len(data) > 0:
			if v := promises(data); v != nil {
				return 0, v, nil
			}
			if looked = max(0, len(data)-2); !started {
				until, started = time.Now().Add(k.s.HeadTimeout), true
			}
		}
		k.idle = len(data) == 0
		err := k.fill(until)
		k.idle = false
		if err != nil {
			if started && isTimeout(err) {
				return 0, slowHead, nil
			}
			return 0, nil, err
		}
	}
}

// promises looks at a head that has not ended: at what would never become one.
func promises(data []byte) *verdict {
	if class[data[0]]&inToken == 0 {
		return badStart
	}
	for i, c := range data {
		if c == '\n' && (i == 0 || data[i-1] != '\r') {
			return badLine
		}
	}
	return nil
}

// begin finds the framing of the body and reads its start.
func (k *conn) begin(head int) (*verdict, error) {
	k.frame = frame{left: k.r.Length}
	k.all, k.have = k.r.Length == 0, head
	switch {
	case k.all:
		k.r.PeekAll, k.r.Peek = true, nil
		return nil, nil
	case k.r.Length < 0:
		if cap(k.peek) == 0 {
			k.peek = make([]byte, 0, MaxPeek)
		}
		k.frame = frame{chunked: true, chunks: chunks{keep: k.peek[:0]}}
		return k.beginChunks(head)
	}
	return nil, k.beginLength(head)
}

// beginLength reads the start of a body with a length.
func (k *conn) beginLength(head int) error {
	want := head + int(min(k.r.Length, MaxPeek))
	for k.in.w-k.in.r < want {
		k.makeRoom(head, want)
		if err := k.fill(k.now.Add(k.s.PeekTimeout)); isTimeout(err) {
			k.r.PeekCut = true
			break
		} else if err != nil {
			return err
		}
	}
	n, done, _ := k.frame.take(k.in.data()[head:])
	k.have, k.all = head+n, done
	k.r.Peek = k.in.data()[head:min(want, k.have)]
	k.r.PeekAll = int64(len(k.r.Peek)) == k.r.Length
	return nil
}

// beginChunks reads the start of a chunked body. Where Peek is cut does not depend
// on the packets: after MaxPeek bytes of data, or peekRaw bytes in all.
func (k *conn) beginChunks(head int) (v *verdict, err error) {
	k.makeRoom(head, head+peekRaw)
	for !k.all && len(k.frame.chunks.keep) < MaxPeek && k.have < head+peekRaw {
		if k.have == k.in.w-k.in.r {
			if err := k.fill(k.now.Add(k.s.PeekTimeout)); isTimeout(err) {
				k.r.PeekCut = true
				break
			} else if err != nil {
				return nil, err
			}
		}
		if v := k.takeChunks(head + peekRaw); v != nil {
			return v, nil
		}
	}
	k.r.Peek = k.frame.chunks.keep
	k.r.PeekAll = k.all && len(k.r.Peek) < MaxPeek
	if k.all {
		return nil, nil
	}
	return k.takeChunks(k.in.w - k.in.r), nil
}

// takeChunks scans what has come of a chunked body, up to a limit.
func (k *conn) takeChunks(limit int) *verdict {
	n, done, err := k.frame.take(k.in.data()[k.have:min(k.in.w-k.in.r, limit)])
	k.have, k.all = k.have+n, done
	if err != nil {
		return err.(*verdict)
	}
	return nil
}

// makeRoom makes room for the start of a message; the head may move.
func (k *conn) makeRoom(head, want int) {
	before := k.r
	k.in.room(want)
	_ = parseRequest(k.in.data()[:head], &k.r)
	k.r.Start = before.Start
}

func isTimeout(err error) bool {
	if err == nil {
		return false
	}
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
