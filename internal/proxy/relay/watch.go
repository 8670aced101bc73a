package relay

import (
	"errors"
	"io"
	"time"
)

// A watch looks whether the caller leaves while it waits for its answer, and lets
// the service see it.
type watch struct {
	k    *conn
	done chan struct{}
}

// startWatch begins to watch, if there is room for what the caller may send.
func startWatch(k *conn) *watch {
	w := &watch{k: k, done: make(chan struct{})}
	room := k.in.free()
	if k.ended || len(room) == 0 || k.pump != nil && len(k.pump.spare) > 0 {
		close(w.done)
		return w
	}
	_ = k.c.SetReadDeadline(time.Time{})
	go func() {
		defer close(w.done)
		n, err := k.c.Read(room)
		w.saw(n, err)
	}()
	return w
}

func (w *watch) saw(n int, err error) {
	k := w.k
	switch {
	case n > 0:
		k.in.w += n // the next request
	case errors.Is(err, io.EOF):
		k.ended = true
		if k.in.w-k.in.r == k.have {
			closeWrite(k.up)
		}
	case !isTimeout(err):
		_ = k.up.Close()
	}
}

// end ends the watch and waits until it is over.
func (w *watch) end() {
	_ = w.k.from.set(longAgo)
	<-w.done
}
