package wire

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Gaps between tries to take a connection, each twice as long as the one before.
const (
	firstGap = 5 * time.Millisecond
	mostGap  = time.Second
)

// listen makes the listener and takes connections from it until it is closed.
func (l *Link) listen() error {
	listener, err := net.Listen(l.at.network, l.at.name)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener = listener
	l.work.Go(func() { l.accept(listener) })
	return nil
}

// accept takes connections. Where the system has no more of what one needs, as
// files, it tries again after a while: they wait in the queue of the listener.
func (l *Link) accept(listener net.Listener) {
	gap := time.Duration(0)
	for {
		down, err := listener.Accept()
		if err != nil && l.isListening(listener) && scarce(err) {
			gap = min(max(2*gap, firstGap), mostGap)
			l.sleep(gap)
			continue
		}
		if err != nil {
			if l.isListening(listener) {
				l.note(err)
				listener.Close() // else who connects would wait for ever
			}
			return
		}
		gap = 0
		c := &conn{link: l, down: &tap{Conn: down, link: l}}
		if !l.add(c, listener) {
			c.cut()
			continue
		}
		l.work.Go(func() {
			l.serve(c)
			l.remove(c)
		})
	}
}

// scarce reports whether an error of Accept passes: files or memory are used up, or
// who connected has left.
func scarce(err error) bool {
	for _, passes := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, passes) {
			return true
		}
	}
	return false
}

// sleep ends early when the link is closed.
func (l *Link) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.done.Done():
	}
}

// isListening reports whether nobody has closed the listener.
func (l *Link) isListening(listener net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener == listener
}

// add reports whether the connection may live: the link did not go down meanwhile.
func (l *Link) add(c *conn, listener net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != listener {
		return false
	}
	l.count++
	c.id = l.count
	l.open[c] = true
	return true
}

func (l *Link) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// serve lives as long as the connection does.
func (l *Link) serve(c *conn) {
	if err := c.dial(); err != nil {
		if !c.gone.Load() {
			l.note(fmt.Errorf("cannot reach %s: %w", l.config.To, err))
		}
		c.cut()
		return
	}
	err := l.config.Protocol.serve(c)
	if err == nil {
		c.close()
		return
	}
	if !ended(err) && !c.gone.Load() {
		l.note(err)
	}
	c.cut()
}
