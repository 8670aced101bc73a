package relay

import (
	"io"
	"strconv"
	"time"
)

// Mark is the header field by which an answer of the proxy's own is known. It says
// why the request was not carried.
const Mark = "Idemcheck-Proxy"

var reasons = map[int]string{
	400: "Bad Request",
	408: "Request Timeout",
	431: "Request Header Fields Too Large",
	501: "Not Implemented",
	502: "Bad Gateway",
	505: "HTTP Version Not Supported",
}

// refuse answers a request that was not carried, and ends the connection.
func (k *conn) refuse(v *verdict) {
	if k.s.Refused != nil {
		k.s.Refused(k.c, v.status, v.why)
	}
	k.r.Method = nil
	k.say(v)
	k.linger()
}

// say gives an answer of the proxy's own, after which the connection ends.
func (k *conn) say(v *verdict) {
	k.hangUp()
	k.lingers = true
	b := refusal(v, string(k.r.Method) == "HEAD")
	_, _ = k.to.write(b, time.Now())
}

func refusal(v *verdict, bare bool) []byte {
	body := "idemcheck proxy: " + v.why + "\n"
	b := []byte("HTTP/1.1 " + strconv.Itoa(v.status) + " " + reasons[v.status] +
		"\r\n" + Mark + ": " + v.why +
		"\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nConnection: close\r\n\r\n")
	if bare {
		return b
	}
	return append(b, body...)
}

// linger closes the connection so that the caller can read what was written last:
// a close with unread data would break it.
func (k *conn) linger() {
	k.hangUp()
	closeWrite(k.c)
	_ = k.c.SetReadDeadline(time.Now().Add(lingering))
	_, _ = io.CopyN(io.Discard, k.c, 1<<20)
	_ = k.c.Close()
}

const lingering = 500 * time.Millisecond
