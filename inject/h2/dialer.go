// Package h2 carries requests over HTTP/2 with the faults that net/http cannot
// make: a client that leaves at a stage, and copies whose last frames leave in
// one write on one connection.
package h2

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Dialer is an HTTP/2 client: with prior knowledge on http, by ALPN on https.
// Each attempt has a fresh connection, goes over the wire exactly once, and is
// bound in time and memory. The zero value is ready; a Dialer is safe for use by
// many goroutines.
type Dialer struct {
	TLS     *tls.Config   // for https; nil: the system's roots
	Timeout time.Duration // of an attempt, the connecting included; 0: 10 s. The context may end it earlier
	Limit   int           // bytes of an answer's body kept; 0: 1 MiB
	Read    int           // bytes of an answer's body read at most; 0: 16 MiB
}

// Send delivers one request and waits for its answer. lose-request, lose-answer,
// cut-client, delay and replace-answer are carried here; with another fault
// nothing is sent, the status is "unreachable", and Err says why.
func (d *Dialer) Send(ctx context.Context, r *http.Request, f inject.Fault) inject.Answer {
	m, err := newMessage(r)
	if err == nil {
		err = carried(f, m)
	}
	if err != nil {
		return unsent(err)
	}
	if f.Name == inject.Delay.Name && !sleep(ctx, delay(f)) {
		return inject.Answer{Status: "timeout", Err: fmt.Errorf("nothing was sent: time was up during the delay: %w", ctx.Err())}
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	c, a := d.connect(ctx, m)
	if c == nil {
		return a
	}
	defer c.close()
	switch f.Name {
	case inject.LoseRequest.Name:
		return inject.Lost(f)
	case inject.CutClient.Name:
		return c.cut(m, f)
	}
	a = c.exchange(m)
	switch f.Name {
	case inject.Delay.Name:
		a.Fired = true
	case inject.LoseAnswer.Name, inject.ReplaceAnswer.Name:
		a = a.Withheld(f)
	}
	return a
}

// exchange writes a whole message and waits for its answer.
func (c *conn) exchange(m message) inject.Answer {
	s, err := c.open()
	if err != nil {
		return unsent(err)
	}
	// An error in writing shows in reading as well, and there an answer that
	// came before it counts.
	if c.headers(s, m, false) == nil && c.data(s, m.body) == nil {
		_ = c.write(lastFrame(s, nil))
	}
	<-s.done
	return s.answer(c.d)
}

// cut leaves in the middle of the exchange.
func (c *conn) cut(m message, f inject.Fault) inject.Answer {
	s, err := c.open()
	if err != nil {
		return unsent(err)
	}
	if err = c.until(s, m, f.Arg); err == nil && f.Arg == "answer-begun" {
		<-s.began
	}
	if err != nil || f.Arg == "answer-begun" && s.first.IsZero() {
		<-s.done // it says what the caller saw instead
		return s.answer(c.d)
	}
	c.leave()
	return inject.Lost(f)
}

// until sends a message up to a stage.
func (c *conn) until(s *stream, m message, stage string) error {
	if err := c.headers(s, m, false); err != nil || stage == "headers-sent" {
		return err
	}
	if stage == "half-body" {
		return c.data(s, m.body[:len(m.body)/2])
	}
	if err := c.data(s, m.body); err != nil {
		return err
	}
	return c.write(lastFrame(s, nil))
}

// carried tells whether the fault can be done to this message.
func carried(f inject.Fault, m message) error {
	switch f.Name {
	case "":
		return nil
	case inject.CutClient.Name:
		if f.Arg == "half-body" && len(m.body) < 2 {
			return fmt.Errorf("cut-client: %s: the body has %d bytes, there is no half to send", f.Arg, len(m.body))
		}
		return f.Check()
	case inject.LoseRequest.Name, inject.LoseAnswer.Name, inject.Delay.Name, inject.ReplaceAnswer.Name:
		return f.Check()
	}
	return fmt.Errorf("fault %s is not one that a connection can carry: lose-request, lose-answer, cut-client, delay, replace-answer are", f.Name)
}

func unsent(err error) inject.Answer {
	return inject.Answer{Status: "unreachable", Err: fmt.Errorf("nothing was sent: %w", err)}
}

func (d *Dialer) timeout() time.Duration {
	if d.Timeout > 0 {
		return d.Timeout
	}
	return 10 * time.Second
}

func delay(f inject.Fault) time.Duration {
	if w, err := time.ParseDuration(f.Arg); err == nil {
		return w
	}
	return 50 * time.Millisecond
}

// sleep waits; false means that the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// takeBody reads a request's body once.
func takeBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	b, err := io.ReadAll(r.Body)
	if closeErr := r.Body.Close(); err == nil {
		err = closeErr
	}
	return b, err
}
