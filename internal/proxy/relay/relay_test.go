package relay

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestBytesAreAsTheyWere(t *testing.T) {
	asks := []string{
		"GET /a?b=%zz HTTP/1.1\r\nhOST:  x.example \r\nX-Odd-CASE:\tv\r\n\r\n",
		"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n000\r\n\r\n",
		"PUT /d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
		"BREW /é HTTP/1.1\r\nHost:\r\ncontent-length: 0\r\n\r\n",
	}
	says := []string{
		"HTTP/1.1 200 OK\r\ncontent-LENGTH: 2\r\n\r\nhi",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\nHTTP/1.1 201\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 304 Not Modified\nContent-Length: 77\n\n",
		"HTTP/1.1 200 OK\r\nX: folded\r\n  on\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
	}
	got := make(chan string, len(asks))
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		for i := range asks {
			b := make([]byte, len(asks[i]))
			if _, err := io.ReadFull(r, b); err != nil {
				return
			}
			got <- string(b)
			_, _ = io.WriteString(c, says[i])
		}
	})
	for _, cut := range []int{1 << 20, 7, 1} {
		g := newRig(t, up, nil)
		c := g.dial()
		for i, ask := range asks {
			for len(ask) > 0 {
				n := min(cut, len(ask))
				c.send(ask[:n])
				ask = ask[n:]
			}
			b := make([]byte, len(says[i]))
			if _, err := io.ReadFull(c.r, b); err != nil {
				t.Fatal(err)
			}
			if sent := <-got; sent != asks[i] || string(b) != says[i] {
				t.Errorf("cut %d: sent %q for %q, answered %q for %q", cut, sent, asks[i], b, says[i])
			}
			if e := g.end(); e.a.Err != nil || !e.a.SentAll || !e.a.Given || !e.a.Whole {
				t.Errorf("cut %d: %s: %+v", cut, e.target, e.a)
			}
		}
		if g.dials != 1 {
			t.Errorf("%d connections", g.dials)
		}
	}
}

func TestPipelined(t *testing.T) {
	up := service(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.URL, b)
	})
	g := newRig(t, up, nil)
	c := g.dial()
	var asks strings.Builder
	for i := range 50 {
		if i%2 == 0 {
			fmt.Fprintf(&asks, "POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nbody%02d", i, i)
		} else {
			fmt.Fprintf(&asks, "POST /%d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n2\r\n%02d\r\n0\r\n\r\n", i, i)
		}
	}
	c.send(asks.String())
	_ = c.c.CloseWrite()
	for i := range 50 {
		_, body, _ := c.answer("POST")
		if want := fmt.Sprintf("/%d body%02d", i, i); body != want {
			t.Fatalf("%q, not %q", body, want)
		}
	}
	if rest, err := c.rest(); rest != "" || err != nil {
		t.Errorf("then %q, %v", rest, err)
	}
}
