package relay

import (
	"io"
	"syscall"
	"time"
)

// A turn is a request on a connection that was used before, with the first read of
// its answer. Such a read begins with one that finds nothing; here that one comes
// before the request is sent, and so tells for nothing whether the service has
// closed the connection.
//
//	look (nothing came, still open) ── send ── wait ── read
//
// What comes after the look wakes the one who waits, also before it waits.
type turn struct {
	step   func(fd uintptr) bool // conn.step
	looked bool
	was    state
	n      int
	err    error
}

// ask takes a turn. False: the connection is not usable, and nothing was sent.
func (k *conn) ask() bool {
	t, until := &k.turn, k.now.Add(k.s.WatchAfter)
	t.looked, t.n, t.err = false, 0, nil
	if at := k.says.at; at.After(until) || !at.After(k.now) {
		_ = k.says.set(until)
	}
	err := k.pulse.raw.Read(t.step)
	for !t.looked && isTimeout(err) && k.says.set(time.Now().Add(k.s.WatchAfter+time.Second)) == nil {
		err = k.pulse.raw.Read(t.step) // the deadline had passed
	}
	if !t.looked || t.was != quiet {
		return false
	}
	if t.n > 0 {
		k.out.w, k.now = k.out.w+t.n, time.Now()
		return true
	}
	k.heard = t.err
	if err == nil && t.err == nil {
		k.heard = io.EOF
	}
	return true // after a time-out, hear goes on
}

// step is called before the waiting, and after it.
func (k *conn) step(fd uintptr) bool {
	t := &k.turn
	if !t.looked {
		t.looked = true
		if t.was = peek(fd); t.was != quiet {
			return true
		}
		k.sendAll()
		return false
	}
	t.n, t.err = readNow(fd, k.out.free())
	if t.err == syscall.EAGAIN {
		t.err = nil
		return false
	}
	return true
}

// sendAll sends a request that has wholly come. What goes wrong shows in the answer.
func (k *conn) sendAll() {
	k.sentAll = k.send(k.in.data()[:k.have], true, k.now) == nil
	if k.sentAll {
		k.r.Sent = int64(k.have - len(k.r.Head))
	}
}
