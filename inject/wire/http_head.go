package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// head is what the head of a message says about where it ends, and what follows.
type head struct {
	size    int  // in bytes
	status  int  // of an answer
	old     bool // HTTP/1.0
	body    body
	expect  bool // 100 Continue
	upgrade bool
	events  bool // a stream of events, which may never end

	counted bool // a Content-Length was seen
}

// bare reports whether an answer of this status has no body.
func (h head) bare() bool { return h.status/100 == 1 || h.status == 204 || h.status == 304 }

// after is the step once it was answered.
func (h head) after(s Step) Step {
	s.Phase, s.Reply = After, strconv.Itoa(h.status)
	s.Durable = h.status/100 == 2 || h.status/100 == 3
	s.Refused = h.status/100 == 4 && h.status != 408 && h.status != 425 && h.status != 499
	return s
}

// plain waits for the first byte, and refuses what can not be HTTP/1.1.
func (in *inlet) plain() error {
	first, err := in.Peek(1)
	if err != nil {
		return err
	}
	switch c := first[0]; {
	case c == 0x16:
		return syntaxError("the system speaks TLS, which a link can not read; give it an address with http://, of a dependency that speaks plain HTTP/1.1")
	case c|0x20 < 'a' || c|0x20 > 'z':
		if c != '\r' && c != '\n' {
			return syntaxError(fmt.Sprintf("a request can not begin with %q: this is no HTTP/1.1; use another protocol", c))
		}
	}
	return nil
}

// head waits for the head of a message. Its first line is valid until the next read.
func (in *inlet) head(parse func(first []byte, h *head) error) (h head, first []byte, err error) {
	for {
		there, _ := in.Peek(in.Buffered())
		if h.size = headSize(there); h.size > 0 {
			first, err = h.read(there[:h.size], parse)
			return h, first, err
		}
		_, err := in.Peek(len(there) + 1)
		switch {
		case len(there) == in.Size():
			return h, nil, syntaxError(fmt.Sprintf("the head of a message is longer than %d bytes", in.Size()))
		case errors.Is(err, io.EOF) && len(there) > 0:
			return h, nil, io.ErrUnexpectedEOF
		case err != nil:
			return h, nil, err
		}
	}
}

// headSize is the length of a head with the empty line after it; 0: that has not
// come yet. Empty lines before it are part of it.
func headSize(there []byte) int {
	begun := false
	for size := 0; ; {
		end := bytes.IndexByte(there[size:], '\n')
		if end < 0 {
			return 0
		}
		empty := end == 0 || end == 1 && there[size] == '\r'
		size += end + 1
		if empty && begun {
			return size
		}
		begun = begun || !empty
	}
}

// read reads all lines and returns the first.
func (h *head) read(text []byte, parse func([]byte, *head) error) (first []byte, err error) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) == 0:
		case first == nil:
			first = line
			err = parse(line, h)
		default:
			err = h.field(line)
		}
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}

// field reads one header.
func (h *head) field(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || line[0] == ' ' || line[0] == '\t' || bytes.HasSuffix(name, []byte(" ")) {
		return syntaxError("a header is not NAME: VALUE on one line")
	}
	value = bytes.TrimSpace(value)
	switch {
	case is(name, "Content-Length"):
		return h.length(string(value))
	case is(name, "Transfer-Encoding"):
		if !is(value, "chunked") || h.old {
			return syntaxError(fmt.Sprintf("Transfer-Encoding: %s has an end that is not certain; chunked is understood, in HTTP/1.1", value))
		}
		h.body = body{kind: chunked}
	case is(name, "Expect"):
		h.expect = true
	case is(name, "Upgrade"):
		h.upgrade = true
	case is(name, "Content-Type"):
		const events = "text/event-stream"
		h.events = len(value) >= len(events) && is(value[:len(events)], events)
	}
	return nil
}

func is(text []byte, name string) bool {
	return len(text) == len(name) && strings.EqualFold(string(text), name)
}

func (h *head) length(value string) error {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return syntaxError(fmt.Sprintf("Content-Length: %s is no number", value))
	}
	if h.counted && h.body.left != int64(n) {
		return syntaxError("there are two values of Content-Length")
	}
	h.counted = true
	if h.body.kind != chunked {
		h.body = body{kind: counted, left: int64(n)}
	}
	return nil
}

// parseRequest reads "POST /v1/charges HTTP/1.1".
func parseRequest(line []byte, h *head) error {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	h.old = string(version) == "HTTP/1.0"
	if string(version) == "HTTP/2.0" {
		return syntaxError("the system speaks HTTP/2, which a link can not read; turn it off where the client is made")
	}
	if len(target) == 0 || !h.old && string(version) != "HTTP/1.1" {
		return syntaxError(fmt.Sprintf("%q is no request of HTTP/1.1, METHOD PATH HTTP/1.1", short(string(line))))
	}
	return nil
}

// parseAnswer reads "HTTP/1.1 201 Created". Without a length an answer ends with the connection.
func parseAnswer(line []byte, h *head) error {
	h.old = bytes.HasPrefix(line, []byte("HTTP/1.0 "))
	ok := h.old || bytes.HasPrefix(line, []byte("HTTP/1.1 "))
	if ok {
		code, _, _ := bytes.Cut(line[len("HTTP/1.1 "):], []byte(" "))
		h.status, _ = strconv.Atoi(string(code))
	}
	if h.status < 100 || h.status > 999 {
		return syntaxError(fmt.Sprintf("%q is no answer of HTTP/1.1, HTTP/1.1 STATUS REASON", short(string(line))))
	}
	h.body = body{kind: untilEnd}
	return nil
}
