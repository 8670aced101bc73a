package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of what is kept of a connection. Longer rows, parameters and COPY data
// are passed on in pieces.
const (
	pgBuffer = 32 << 10 // of each direction
	pgText   = 16 << 20 // of the text of a statement, which is read as a whole
	pgLong   = 1 << 30  // of a message: the server's own limit
	pgNames  = 10_000   // prepared statements, and portals
)

// pgMessages reads the messages of one side: a byte for the kind, four for the
// length, and the body.
type pgMessages struct{ *bufio.Reader }

// next is the kind of the next message and its whole size; it stays unread.
func (m pgMessages) next() (kind byte, size int, err error) {
	b, err := m.Peek(5)
	if err != nil {
		if len(b) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, 0, err
	}
	n := binary.BigEndian.Uint32(b[1:])
	if n < 4 || n > pgLong {
		return 0, 0, fmt.Errorf("a message %q of %d bytes, legal are 4 to %d", b[0], n, pgLong)
	}
	return b[0], int(n) + 1, nil
}

// whole reports whether the next message is here as a whole.
func (m pgMessages) whole() bool {
	if m.Buffered() < 5 {
		return false
	}
	_, size, err := m.next()
	return err == nil && size <= m.Buffered()
}

// head is the body of the next message as far as it fits into the buffer; it stays unread.
func (m pgMessages) head(size int) ([]byte, error) {
	b, err := m.Peek(min(size, pgBuffer))
	if err != nil {
		return nil, noEnd(err)
	}
	return b[5:], nil
}

// pass moves the next message.
func (m pgMessages) pass(to io.Writer, size int) error {
	if size > m.Buffered() {
		_, err := io.CopyN(to, m, int64(size))
		return noEnd(err)
	}
	b, err := m.Peek(size)
	if err != nil {
		return err
	}
	if _, err := to.Write(b); err != nil {
		return err
	}
	_, err = m.Discard(size)
	return err
}

// take is the next message as a whole, or an error if it is longer than most.
func (m pgMessages) take(size, most int) ([]byte, error) {
	if size > most {
		kind, _, _ := m.next()
		return nil, fmt.Errorf("a message %q of %d bytes; a link reads up to %d", kind, size, most)
	}
	var b bytes.Buffer
	err := m.pass(&b, size) // grows as it comes
	return b.Bytes(), err
}

// drop reads the next message and forgets it.
func (m pgMessages) drop(size int) error {
	_, err := m.Discard(size)
	return noEnd(err)
}

// noEnd makes an end within a message an error.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// pgName cuts a text that ends with a zero byte off the beginning.
func pgName(b []byte, most int) (name string, rest []byte, err error) {
	i := bytes.IndexByte(b[:min(len(b), most+1)], 0)
	if i < 0 {
		return "", nil, errors.New("a name or text without its end")
	}
	return string(b[:i]), b[i+1:], nil
}

// pgMessage makes a message.
func pgMessage(kind byte, body string) []byte {
	b := append([]byte{kind}, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[1:], uint32(len(body)+4))
	return append(b, body...)
}

// pgField is a field of the body of an ErrorResponse: 'C' is the code, 'V' how bad it is.
func pgField(body []byte, field byte) string {
	for len(body) > 0 && body[0] != 0 {
		text, rest, err := pgName(body[1:], len(body))
		if err != nil {
			return ""
		}
		if body[0] == field {
			return text
		}
		body = rest
	}
	return ""
}
