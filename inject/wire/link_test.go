package wire

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLinkPassesBytesAndEnds(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			listen := "127.0.0.1:0"
			if network == "unix" {
				listen = "unix:" + filepath.Join(t.TempDir(), "link")
			}
			l := open(t, Config{Protocol: TCP, Listen: listen, To: serveTCP(t, network, echo)})
			c := dial(t, l.Addr())
			text := strings.Repeat("all of it ", 100_000)
			go func() {
				_, _ = io.WriteString(c, text)
				closeWrite(c)
			}()
			if back, err := io.ReadAll(c); err != nil || string(back) != text {
				t.Errorf("%d of %d bytes came back: %v", len(back), len(text), err)
			}
			if err := l.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDownRefusesAndUpServes(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		listen := ""
		if network == "unix" {
			listen = "unix:" + filepath.Join(t.TempDir(), "link")
		}
		l := open(t, Config{Protocol: TCP, Listen: listen, To: serveTCP(t, "tcp", echo)})
		for range 3 {
			c := dial(t, l.Addr())
			ping(t, c)
			l.Down()
			if network == "tcp" {
				wantReset(t, c)
			} else if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the connection is open")
			}
			if c, err := dialOnce(l.Addr()); err == nil {
				c.Close()
				t.Error("a link that is down accepted a connection")
			}
			l.Down()
			l.Up()
			l.Up()
		}
		ping(t, dial(t, l.Addr()))
		if err := l.Err(); err != nil {
			t.Error(err)
		}
	}
}

// ping sends a byte and waits for it to come back.
func ping(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// The other side of a cut sees a reset too.
func TestCutResetsBothSides(t *testing.T) {
	for _, phase := range []Phase{Before, After} {
		ends := make(chan error, 1)
		to := serveTCP(t, "tcp", func(c net.Conn) {
			_, err := c.Read(make([]byte, 1000))
			if phase == After {
				_, _ = io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
				_, err = c.Read(make([]byte, 1000))
			}
			ends <- err
		})
		l := open(t, Config{Protocol: HTTP, To: to})
		l.Watch((&steps{do: on(phase, Cut)}).hook)
		c := dial(t, l.Addr())
		_, _ = io.WriteString(c, "POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		wantReset(t, c)
		if err := <-ends; !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the dependency saw %v, not a reset", err)
		}
	}
}

// A reset of the dependency reaches the system as a reset.
func TestResetPassesThrough(t *testing.T) {
	to := serveTCP(t, "tcp", func(c net.Conn) { reset(c) })
	for _, protocol := range []Protocol{TCP, HTTP} {
		c, err := dialOnce(open(t, Config{Protocol: protocol, To: to}).Addr())
		if err == nil {
			wantReset(t, c)
			c.Close()
		}
	}
}

// Close waits for all: goleak looks after the test.
func TestCloseAfterFiftyCuts(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 50 {
		w := openWeb(t, nil)
		w.link.Watch((&steps{do: on(Phase(i%2), Cut)}).hook)
		for range 3 {
			if status, _, err := w.do(t, "POST", "/charges", "body"); err == nil {
				t.Errorf("answered %d", status)
			}
		}
		w.link.Watch(nil)
		if status, _, err := w.do(t, "POST", "/charges", "body"); status != 200 || err != nil {
			t.Errorf("after the cuts: %d %v", status, err)
		}
		w.link.Close()
		if len(w.link.open) > 0 {
			t.Errorf("%d connections are left", len(w.link.open))
		}
	}
	t.Logf("goroutines: %d before, %d after 50 links", before, runtime.NumGoroutine())
}

// A Hook may take the link down, as a dependency that dies at a step.
func TestDownAtAStep(t *testing.T) {
	w := openWeb(t, nil)
	w.link.Watch(func(s Step) Action {
		if s.Phase == After {
			w.link.Down()
		}
		return Pass
	})
	for range 2 {
		if status, _, err := w.do(t, "POST", "/charges", "body"); err == nil {
			t.Errorf("answered %d", status)
		}
	}
	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d calls were delivered", n)
	}
	w.link.Watch(nil)
	w.link.Up()
	if status, _, err := w.do(t, "POST", "/charges", "body"); status != 200 || err != nil {
		t.Errorf("up again: %d %v", status, err)
	}
}

// Close comes while a step is held: it waits until the hook returns, and delivers nothing.
func TestCloseWhileHeld(t *testing.T) {
	w := openWeb(t, nil)
	held, release, closed, end := make(chan bool), make(chan bool), make(chan bool), make(chan error)
	w.link.Watch(func(Step) Action {
		held <- true
		<-release
		return Pass
	})
	go func() {
		_, _, err := w.do(t, "POST", "/charges", "body")
		end <- err
	}()
	<-held
	go func() {
		w.link.Close()
		close(closed)
	}()
	if err := <-end; err == nil { // closing reached the system
		t.Error("answered")
	}
	select {
	case <-closed:
		t.Error("Close did not wait for the hook")
	default:
	}
	close(release)
	<-closed
	if n := w.calls.Load(); n != 0 {
		t.Errorf("%d calls were delivered", n)
	}
}

func TestQuiet(t *testing.T) {
	l := open(t, Config{Protocol: TCP, To: serveTCP(t, "tcp", echo)})
	if !l.Quiet(time.Millisecond) {
		t.Error("nothing passes and it is not quiet")
	}
	ping(t, dial(t, l.Addr()))
	if last := time.Unix(0, l.last.Load()); time.Since(last) > bound {
		t.Errorf("the last byte came at %v", last)
	}
	l.last.Store(time.Now().Add(time.Hour).UnixNano()) // as if bytes came all the time
	if l.Quiet(time.Millisecond) {
		t.Error("quiet while bytes pass")
	}
	l.Close()
	if !l.Quiet(time.Hour) {
		t.Error("nothing can pass what is closed")
	}
}
