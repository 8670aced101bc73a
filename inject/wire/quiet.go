package wire

import (
	"net"
	"time"
)

// Quiet returns when nothing has passed for a while: d without a byte. It waits
// for ten times d at most, and reports whether it became quiet.
func (l *Link) Quiet(d time.Duration) bool {
	begin := time.Now()
	for end := begin.Add(10 * d); ; {
		last := time.Unix(0, l.last.Load())
		if last.Before(begin) {
			last = begin
		}
		rest := d - time.Since(last)
		if rest <= 0 {
			return true
		}
		if time.Now().Add(rest).After(end) {
			return false
		}
		if !l.pause(rest) {
			return true
		}
	}
}

// Last is when a byte last came, from either side; the zero Time if none ever did.
func (l *Link) Last() time.Time {
	if ns := l.last.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// pause reports whether the time passed before the link was closed.
func (l *Link) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.done.Done():
		return false
	}
}

// tap is one side of a connection; it notes when bytes come.
type tap struct {
	net.Conn
	link *Link
}

func (t *tap) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	if n > 0 {
		t.link.last.Store(time.Now().UnixNano())
	}
	return n, err
}
