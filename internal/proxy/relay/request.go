package relay

import (
	"errors"
	"io"
	"time"
)

// fill reads more of what the caller sends.
func (k *conn) fill(until time.Time) error {
	if k.ended {
		return io.EOF
	}
	k.in.room(0)
	n, err := k.from.read(k.in.free(), until)
	k.in.w += n
	if n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) {
		k.ended = true
	}
	return err
}

// request reads the head of the next request and the start of its body.
func (k *conn) request() (*verdict, error) {
	head, v, err := k.head()
	if v != nil || err != nil {
		return v, err
	}
	if v := parseRequest(k.in.data()[:head], &k.r); v != nil {
		return v, nil
	}
	k.now = time.Now()
	k.r.Start = k.now
	return k.begin(head)
}

// head reads until there is a whole head, and tells its length.
func (k *conn) head() (int, *verdict, error) {
	until, looked, started := k.now.Add(k.s.IdleTimeout), 0, false
	for {
		k.blank()
		data := k.in.data()
		if n := headEnd(data, looked); n >= 0 {
			if n > k.s.MaxHead {
				return 0, largeHead, nil
			}
			return n, nil, nil
		}
		switch {
		case len(data) > k.s.MaxHead:
			return 0, largeHead, nil
		case len(data) > 0:
			if v := promises(data); v != nil {
				return 0, v, nil
			}
			if looked = max(0, len(data)-2); !started {
				until, started = time.Now().Add(k.s.HeadTimeout), true
			}
		}
		k.idle = len(data) == 0
		err := k.fill(until)
		k.idle = false
		if err != nil {
			if started && isTimeout(err) {
				return 0, slowHead, nil
			}
			return 0, nil, err
		}
	}
}

// blank drops an empty line that some callers send behind a body. The service does
// not get it.
func (k *conn) blank() {
	if data := k.in.data(); k.mayBlank && len(data) > 1 {
		k.mayBlank = false
		if data[0] == '\r' && data[1] == '\n' {
			k.in.use(2)
		}
	}
}

// promises looks at a head that has not ended: at what would never become one.
func promises(data []byte) *verdict {
	if class[data[0]]&inToken == 0 && (data[0] != '\r' || len(data) > 1) {
		return badStart
	}
	for i, c := range data {
		if c == '\n' && (i == 0 || data[i-1] != '\r') {
			return badLine
		}
	}
	return nil
}
