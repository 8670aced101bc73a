package inject

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// meter counts what is read, notes when the first byte came, and ends what has no end.
type meter struct {
	from  io.Reader
	left  int64
	read  int64
	first time.Time
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooLong
	}
	n, err := m.from.Read(p[:min(int64(len(p)), m.left)])
	if n > 0 && m.read == 0 {
		m.first = time.Now()
	}
	m.left, m.read = m.left-int64(n), m.read+int64(n)
	return n, err
}

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
		case errors.Is(err, errTooLong):
			return nil, Answer{Status: garbage, Err: fmt.Errorf("the header of the answer has no end: %w of %d bytes", errTooLong, m.read)}
		case err != nil:
			return nil, Answer{Status: trouble(err, m.read > 0), Err: fmt.Errorf("answer: %w", err)}
		case resp.StatusCode > 599 || resp.StatusCode < 100:
			return nil, Answer{Status: garbage, Err: fmt.Errorf("answer: status %q is not between 100 and 599", resp.Status)}
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
	return Answer{Status: a.Status, Body: a.Body, Cut: true, Err: fmt.Errorf("answer %d: %w", resp.StatusCode, err)}
}
