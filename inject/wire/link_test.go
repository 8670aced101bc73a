package wire

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
	l := open(t, Config{Protocol: TCP, To: serveTCP(t, "tcp", echo)})
	for range 3 {
		c := dial(t, l.Addr())
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		l.Down()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("an open connection ended with %v, not with a reset", err)
		}
		if c, err := dialOnce(l.Addr()); err == nil {
			c.Close()
			t.Error("a link that is down accepted a connection")
		}
		l.Up()
	}
}
