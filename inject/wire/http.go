package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
)

// HTTP is HTTP/1.1 in clear. Each exchange is a step, "POST /v1/charges". What
// is larger than 64 KiB, waits for 100 Continue, is a stream of events or pauses
// for a second is not collected first: then Before comes with the head, and
// After with the last bytes (of a stream of events: with the first). Refuse
// answers 503. After an upgrade, and where the bytes are no HTTP/1.1, all
// passes and there are no steps.
var HTTP = Protocol{Name: "http", serve: serveHTTP}

// httpCall is a request that waits for its answer.
type httpCall struct {
	step    Step // without a Name nobody looks
	head    bool // the answer has no body, whatever it says
	connect bool
	upgrade bool
}

type httpConn struct {
	*conn
	asks, says *inlet        // from the system, from the dependency
	asked      chan httpCall // the request that was delivered
	answered   chan bool     // its answer is on its way; closed: what follows is no HTTP
	waiting    bool          // for answered
}

func serveHTTP(c *conn) error {
	h := &httpConn{conn: c, asked: make(chan httpCall, 1), answered: make(chan bool, 1)}
	h.asks, h.says = newInlet(c.down, c.up), newInlet(c.up, c.down)
	defer h.asks.free()
	defer h.says.free()
	return c.both(
		func() error { return h.rest(h.asks, h.requests()) },
		func() error {
			err := h.answers()
			close(h.answered)
			return h.rest(h.says, err)
		})
}

// rest passes on what is no HTTP, the end of the connection included.
func (h *httpConn) rest(in *inlet, err error) error {
	var syntax syntaxError
	if errors.As(err, &syntax) {
		h.link.note(err)
	} else if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return relay(in.to, in)
}

// requests hands on one request after the other, each when the one before it
// was answered. It returns when what follows is no request.
func (h *httpConn) requests() error {
	if err := h.asks.plain(); err != nil {
		return err
	}
	for {
		head, first, err := h.asks.head(parseRequest)
		if err != nil || h.ended() {
			return err
		}
		x := h.newCall(first)
		x.upgrade = head.upgrade || x.connect
		if err := h.request(head, x); err != nil {
			return err
		}
		if x.upgrade && h.ended() {
			return nil
		}
	}
}

// ended waits for the answer that is due, and reports whether what follows is no HTTP.
func (h *httpConn) ended() bool {
	if !h.waiting {
		return false
	}
	h.waiting = false
	_, more := <-h.answered
	return !more
}

// request asks what becomes of a request, and delivers it.
func (h *httpConn) request(head head, x httpCall) error {
	m := message{size: head.size, body: head.body}
	if err := h.asks.collect(&m, x.step.Name != "" && !head.expect, 0); err != nil {
		return err
	}
	switch h.ask(x.step) {
	case Cut:
		return net.ErrClosed
	case Refuse:
		return h.refuse(x)
	}
	h.waiting = true
	h.asked <- x
	return h.asks.send(&m)
}

// ask is step for what has a name.
func (h *httpConn) ask(s Step) Action {
	if s.Name == "" {
		return Pass
	}
	return h.step(s)
}

// refuse answers for the dependency; it takes no more requests, and returns at their end.
func (h *httpConn) refuse(x httpCall) error {
	text := fmt.Sprintf("idemcheck: link %s refused this request and did not deliver it\n", h.link.Name())
	answer := fmt.Sprintf("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(text))
	if !x.head {
		answer += text
	}
	if _, err := io.WriteString(h.down, answer); err != nil {
		return err
	}
	closeWrite(h.down)
	_, err := io.Copy(io.Discard, h.asks)
	return err
}

// answers hands on what the dependency says, until what follows is no answer.
func (h *httpConn) answers() error {
	for {
		first, err := h.says.Peek(1)
		if err != nil {
			return err
		}
		select {
		case x := <-h.asked:
			if end, err := h.answer(x); end || err != nil {
				return err
			}
		default:
			if first[0] != 'H' {
				return syntaxError("it speaks before it is asked, so this is no HTTP; use another protocol")
			}
			return nil // an answer to nothing: it gives up an idle connection
		}
	}
}

// answer hands on the answer to one request, and the provisional ones before
// it. It reports whether what follows is no HTTP.
func (h *httpConn) answer(x httpCall) (end bool, err error) {
	for {
		head, _, err := h.says.head(parseAnswer)
		if err != nil {
			return false, err
		}
		m := message{size: head.size, body: head.body}
		if x.head || head.bare() {
			m.body = body{}
		}
		end := head.status == 101 || x.connect && head.status/100 == 2
		if end {
			m.body = body{}
		}
		if end || head.status/100 != 1 {
			return end, h.conclude(x, head, &m, end)
		}
		m.done = true
		if err := h.says.send(&m); err != nil {
			return false, err
		}
	}
}

// conclude hands on the answer that ends an exchange.
func (h *httpConn) conclude(x httpCall, head head, m *message, end bool) error {
	look := x.step.Name != ""
	m.keep = look && !head.events
	if err := h.says.collect(m, m.keep, patience); err != nil {
		return err
	}
	if m.keep {
		if err := h.says.sendStart(m); err != nil {
			return err
		}
	}
	if h.ask(head.after(x.step)) != Pass {
		return net.ErrClosed
	}
	if !end {
		h.answered <- true
	}
	return h.says.send(m)
}
