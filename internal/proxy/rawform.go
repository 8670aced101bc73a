package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// rawForm makes copies of requests that the relay carried: the same bytes.
type rawForm struct{}

func (rawForm) send(s *strike, hold func()) traffic.Answer {
	request, err := s.bytesOfCopy()
	if err != nil {
		s.skip(err.Error())
		return traffic.Answer{Err: notSent}
	}
	ctx, cancel := context.WithTimeout(s.p.copying, copyTime)
	defer cancel()
	up := s.p.replicas.after(s.up)
	c, err := up.pool.Get(ctx)
	if err != nil {
		if hold != nil {
			hold()
		}
		return traffic.Answer{Err: errorName(err, 0)}
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	kept := s.p.store.beginning(keptAnswer)
	defer kept.close()
	begin := time.Now()
	a, reusable, err := relay.Exchange(c, request, kept, hold)
	if err != nil {
		a.Took = time.Since(begin)
	}
	if reusable && stop() {
		up.pool.Put(c)
	} else {
		c.Close()
	}
	a.Err = errors.Join(a.Err, err)
	return relayed(kept, s.method, &a)
}

// notSent is the error of a copy that could not be made.
const notSent = "not sent"

// bytesOfCopy is the request as it is sent again.
func (s *strike) bytesOfCopy() (io.Reader, error) {
	switch s.fault.Name {
	case inject.Reencode.Name:
		return s.reencoded()
	case inject.DropKey.Name:
		return s.keyless()
	}
	return s.request.reader(), nil
}

// edited is a request with another head: the lines that keep says, then more.
func edited(head []byte, keep func(name string) bool, more ...string) []byte {
	var out bytes.Buffer
	for i, l := range bytes.SplitAfter(bytes.TrimSuffix(head, []byte("\r\n")), []byte("\r\n")) {
		name, _, _ := bytes.Cut(l, []byte(":"))
		if len(l) > 0 && (i == 0 || keep(strings.ToLower(string(name)))) {
			out.Write(l)
		}
	}
	for _, m := range more {
		out.WriteString(m + "\r\n")
	}
	out.WriteString("\r\n")
	return out.Bytes()
}

func (s *strike) reencoded() (io.Reader, error) {
	if s.request.length() > keptAnswer {
		return nil, errors.New("the body was too large to be written otherwise")
	}
	r, body, err := relay.SplitRequest(s.request.bytes(2 * keptAnswer))
	if err != nil {
		return nil, errors.New("the request could not be read again")
	}
	if e, ok := r.Header("Content-Encoding"); ok && string(e) != "identity" {
		return nil, errors.New("the body was encoded")
	}
	same, ok := inject.ReencodeJSON(body, s.fault.Arg == "numbers")
	if !ok {
		return nil, errors.New("the body was no JSON")
	}
	head := edited(r.Head, func(name string) bool { return name != "content-length" && name != "transfer-encoding" },
		"Content-Length: "+strconv.Itoa(len(same)))
	return bytes.NewReader(append(head, same...)), nil
}

// keyless is the request without the header that carries the key.
func (s *strike) keyless() (io.Reader, error) {
	raw := s.request.bytes(relayHead)
	end := bytes.Index(raw, []byte("\r\n\r\n"))
	if end < 0 {
		return nil, errors.New("the request could not be read again")
	}
	head := raw[:end+4]
	name := carrierOf(headerOf(head), s.key)
	if name == "" {
		return nil, errors.New("no header carried a key")
	}
	short := edited(head, func(n string) bool { return n != strings.ToLower(name) })
	rest := s.request.reader()
	if _, err := io.CopyN(io.Discard, rest, int64(len(head))); err != nil {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(short), rest), nil
}

// relayHead is as much as the longest head of a request.
const relayHead = 64 << 10

// carrierOf is the header that carries the key.
func carrierOf(h http.Header, key string) string {
	if key == "" {
		return ""
	}
	for name, values := range h {
		for _, v := range values {
			if (v == key || strings.Trim(v, `"`) == key) && !strings.EqualFold(name, "Authorization") {
				return name
			}
		}
	}
	return ""
}

func (rawForm) parts(s *strike, most int64) (h http.Header, body []byte, cut bool) {
	raw := s.request.bytes(relayHead + 2*most) // chunks of a few bytes are their own half
	r, body, err := relay.SplitRequest(raw)
	cut = err != nil || int64(len(body)) > most || !s.request.whole()
	return headerOf(r.Head), bytes.Clone(body[:min(int64(len(body)), most)]), cut
}

// headerOf are the fields of a raw head.
func headerOf(head []byte) http.Header {
	_, fields, _ := bytes.Cut(head, []byte("\r\n"))
	h, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader() // what could be read of it
	return http.Header(h)
}

func isRefused(err error) bool {
	var op *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op) && op.Op == "dial"
}
