package inject

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// meter counts what is read, notes when the first byte came, and ends what has no end.
type meter struct {
	from  io.Reader
	left  int64
	read  int64
	start []byte    // the first few bytes
	first time.Time // when they came
	err   error     // what ended the reading, if it was not we
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		m.err = errTooLong
		return 0, m.err
	}
	n, err := m.from.Read(p[:min(int64(len(p)), m.left)])
	if n > 0 && m.read == 0 {
		m.first = time.Now()
	}
	m.start = append(m.start, p[:min(n, len("HTTP/")-len(m.start))]...)
	m.left, m.read, m.err = m.left-int64(n), m.read+int64(n), err
	return n, err
}

// broken is the answer to a header that could not be read. A parser that meets
// the end of the connection complains about the line it is in: what ended the
// reading comes first.
func (m *meter) broken(err error) Answer {
	switch {
	case errors.Is(m.err, errTooLong):
		return Answer{Status: garbage, Err: fmt.Errorf("the header of the answer has no end: %w of %d bytes", errTooLong, m.read)}
	case m.err == nil, m.read > 0 && trouble(m.err, true) == cutOff && !strings.HasPrefix("HTTP/", string(m.start)):
		return Answer{Status: garbage, Err: fmt.Errorf("no HTTP/1.1 answer: %w", brief{err})}
	}
	return Answer{Status: trouble(m.err, m.read > 0), Err: fmt.Errorf("answer: %w", m.err)}
}

// brief is an error whose text is bounded: parsers quote what they do not like.
type brief struct{ error }

func (b brief) Error() string {
	const most = 200
	if s := b.error.Error(); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return b.error.Error()
}

func (b brief) Unwrap() error { return b.error }

// read reads one answer to the last byte. Interim answers (1xx) are passed over.
func (d *Dialer) read(from io.Reader, method string) Answer {
	a, _ := d.readTimed(from, method)
	return a
}

// readTimed also tells when the first byte came; zero if none did.
func (d *Dialer) readTimed(from io.Reader, method string) (Answer, time.Time) {
	m := &meter{from: from, left: positive(d.Read, 16<<20)}
	resp, a := readHead(m, method)
	if resp != nil {
		a = d.readBody(resp, m)
	}
	return a, m.first
}

func readHead(m *meter, method string) (*http.Response, Answer) {
	b := bufio.NewReader(m)
	request := &http.Request{Method: method}
	for {
		resp, err := http.ReadResponse(b, request)
		switch {
		case err != nil:
			return nil, m.broken(err)
		case resp.StatusCode > 599 || resp.StatusCode < 100:
			return nil, Answer{Status: garbage, Err: fmt.Errorf("answer: status %q is not between 100 and 599", resp.Status[:3])}
		case resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols:
			return resp, Answer{}
		}
	}
}

func (d *Dialer) readBody(resp *http.Response, m *meter) Answer {
	a := Answer{Status: strconv.Itoa(resp.StatusCode), Header: resp.Header}
	var err error
	a.Body, err = io.ReadAll(io.LimitReader(resp.Body, positive(d.Limit, 1<<20)))
	if err == nil {
		var more int64
		more, err = io.Copy(io.Discard, resp.Body)
		a.Cut = more > 0
	}
	switch {
	case err == nil:
		return a
	case errors.Is(err, errTooLong):
		err = fmt.Errorf("its body has no end: %w of %d bytes", errTooLong, m.read)
		a.Status = cutOff
	default:
		a.Status = trouble(err, true)
	}
	return Answer{Status: a.Status, Body: a.Body, Cut: true, Err: fmt.Errorf("answer %d: %w", resp.StatusCode, brief{err})}
}
