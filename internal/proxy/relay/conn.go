package relay

import (
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
	turn   turn
	heard  error     // how up ended, if a turn saw that
	last   time.Time // when up was used last
	smallO *[]byte

	r        Request
	a        Answer
	act      *Act
	idle     bool   // no byte of a request has come
	mayBlank bool   // an empty line may come before it
	frame    frame  // of the request's body
	have     int    // bytes of in.data() that belong to the request
	all      bool   // which are the whole request
	peek     []byte // of a chunked body; of use again and again
	now      time.Time

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
	k.turn.step = k.step
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
		k.last, k.mayBlank = k.now, true
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
