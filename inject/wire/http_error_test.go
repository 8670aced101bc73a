package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

func TestHTTPSaysWhatIsNoHTTP(t *testing.T) {
	for _, c := range []struct{ name, send, answer, want string }{
		{"tls", "\x16\x03\x01\x02\x00", "", "the system speaks TLS"},
		{"http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", "the system speaks HTTP/2"},
		{"binary", "\x00\x00\x00\x08", "", `can not begin with '\x00'`},
		{"line", "hello\r\n\r\n", "", `"hello" is no request of HTTP/1.1`},
		{"lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "", "two values of Content-Length"},
		{"coding", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nxx", "", "Transfer-Encoding: gzip"},
		{"chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "", "not legal at the end of the size of a chunk"},
		{"header", "GET / HTTP/1.1\r\nno header\r\n\r\n", "", "a header is not NAME: VALUE"},
		{"long", "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 70_000), "", "longer than 65536 bytes"},
		{"answer", "GET / HTTP/1.1\r\n\r\n", "HTTP/3 huh\r\n\r\n", `"HTTP/3 huh" is no answer`},
		{"unasked", "", "220 mail ESMTP\r\n", "speaks before it is asked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan string, 1)
			to := serveTCP(t, "tcp", func(c2 net.Conn) {
				first := make([]byte, min(1, len(c.send)))
				_, _ = io.ReadFull(c2, first)
				_, _ = io.WriteString(c2, c.answer)
				text, _ := io.ReadAll(c2)
				got <- string(first) + string(text)
			})
			l := open(t, Config{Name: "card", Protocol: HTTP, To: to})
			l.Watch((&steps{}).hook)
			s := dial(t, l.Addr())
			if c.name == "unasked" {
				if _, err := io.ReadFull(s, make([]byte, len(c.answer))); err != nil {
					t.Error(err)
				}
			}
			_, _ = io.WriteString(s, c.send)
			closeWrite(s)
			back, err := io.ReadAll(s)
			if c.name != "unasked" && (string(back) != c.answer || err != nil) {
				t.Errorf("the system got %q, %v", back, err)
			}
			if text := <-got; text != c.send {
				t.Errorf("the dependency got %q", text)
			}
			if err := l.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "link card: ") {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestUnreachableIsAReset(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	l := open(t, Config{Protocol: HTTP, To: gone.Addr().String()})
	if c, err := dialOnce(l.Addr()); err == nil {
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("ended with %v", err)
		}
		c.Close()
	}
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "cannot reach "+gone.Addr().String()) {
		t.Error(err)
	}
}
