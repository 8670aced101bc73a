package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxLine bounds the memory that one line of a foreign file can take. A body and
// a hidden answer at their limit, each byte escaped, are shorter.
const maxLine = 256 << 20

// Truncated says that a history ends within a line, as after a crash. The
// history up to that line was read and can be used.
type Truncated struct {
	Line    int   // the last whole line; the header is line 1
	Dropped int64 // bytes of the next one, which were dropped
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("history was cut off after line %d: %d bytes of the next line were dropped", t.Line, t.Dropped)
}

// Read reads a history. A *Truncated error still comes with the history up to
// the last whole line; any other error names the line and comes with none.
// Unknown fields are ignored, unknown kinds of events are errors.
func Read(r io.Reader) (History, error) {
	in := lines{r: bufio.NewReaderSize(r, 256<<10)}
	line, err := in.next()
	if err != nil {
		return History{}, fmt.Errorf("history: %w", err)
	}
	if len(line) == 0 && !in.whole {
		return History{}, errors.New("history is empty")
	}
	var h History
	if h.Header, err = readHeader(line, in.whole); err != nil {
		return History{}, err
	}
	d := newDecoder()
	for {
		line, err := in.next()
		if err != nil {
			return History{}, fmt.Errorf("history: line %d: %w", in.number, err)
		}
		if len(line) == 0 {
			if !in.whole {
				return h, nil
			}
			continue
		}
		switch err := h.add(d, line); {
		case err == nil:
		case in.whole || json.Valid(line):
			return History{}, fmt.Errorf("history: line %d: %w", in.number, err)
		default:
			return h, &Truncated{Line: in.number - 1, Dropped: int64(len(line))}
		}
	}
}

// add decodes one line in place.
func (h *History) add(d *decoder, line []byte) error {
	events, n, last := h.Events, len(h.Events), int64(0)
	if n == cap(events) {
		events = slices.Grow(events, max(64, n)) // less copying than by append's own growth
	}
	events = events[:n+1]
	e := &events[n]
	if err := d.event(line, e); err != nil {
		return err
	}
	if n > 0 {
		last = events[n-1].Seq
	}
	if e.Seq <= last {
		return fmt.Errorf("seq %d after %d: it must rise", e.Seq, last)
	}
	h.Events = events
	return nil
}

func readHeader(line []byte, whole bool) (Header, error) {
	var mark struct {
		Version *int    `json:"version"`
		Run     *string `json:"run"`
	}
	err := json.Unmarshal(line, &mark)
	switch {
	case err != nil && !whole:
		return Header{}, errors.New("not an idemcheck history: it ends within its first line")
	case err != nil || mark.Version == nil:
		return Header{}, fmt.Errorf("not an idemcheck history: line 1: no header, which begins {\"version\":%d,", format)
	case *mark.Version != format:
		return Header{}, fmt.Errorf("history version %d is not known; this tool reads version %d", *mark.Version, format)
	case mark.Run == nil:
		return Header{}, errors.New("not an idemcheck history: line 1: no run in the header")
	}
	var h Header
	if err := json.Unmarshal(line, &h); err != nil {
		return Header{}, fmt.Errorf("history: line 1: header: %w", err)
	}
	return h, nil
}

// lines splits a stream.
type lines struct {
	r      *bufio.Reader
	long   []byte // a line longer than the reader's memory
	number int    // of the last line, from 1
	whole  bool   // it ended with a line feed
}

// next is the next line without its end, valid until the following call. An
// empty line that is not whole is the end of the stream.
func (l *lines) next() ([]byte, error) {
	l.number++
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.whole = err == nil
		if len(l.long)+len(part) > maxLine {
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		}
		if err == bufio.ErrBufferFull || len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		switch err {
		case nil, io.EOF:
			return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte{'\n'}), []byte{'\r'}), nil
		case bufio.ErrBufferFull:
		default:
			return nil, err
		}
	}
}
