package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Codes of the packets that begin a connection; all else is a version.
const (
	pgCancel = 80877102
	pgTLS    = 80877103
	pgGSS    = 80877104
)

// pgStart passes on the packet that begins a connection, and reports whether it
// is the request to cancel another's statement. Encryption is declined by
// ourselves: the server may have it.
func pgStart(c *conn, down *bufio.Reader) (cancel bool, err error) {
	for range 3 { // GSS, TLS, then the real one
		size, code, err := pgStartHead(down)
		if err != nil {
			return false, err
		}
		if code == pgTLS || code == pgGSS {
			if size != 8 {
				return false, fmt.Errorf("a request for encryption of %d bytes, not 8", size)
			}
			_, _ = down.Discard(size)
			if _, err := c.down.Write([]byte("N")); err != nil {
				return false, err
			}
			continue
		}
		if code != pgCancel && code>>16 != 3 {
			return false, fmt.Errorf("version %d.%d of the protocol; a link knows 3.x", code>>16, code&0xffff)
		}
		_, err = io.CopyN(c.up, down, int64(size))
		return code == pgCancel, err
	}
	return false, errors.New("asked for encryption again and again; set sslmode=disable")
}

// pgStartHead is the length and code of the first packet, which stays unread.
func pgStartHead(down *bufio.Reader) (size int, code uint32, err error) {
	b, err := down.Peek(8)
	if err != nil {
		return 0, 0, err
	}
	if b[0] == 22 { // a TLS handshake
		return 0, 0, errors.New("TLS without asking for it (sslnegotiation=direct); a link needs sslmode=disable or prefer")
	}
	size, code = int(binary.BigEndian.Uint32(b)), binary.BigEndian.Uint32(b[4:])
	if size < 8 || size > 10_000 {
		return 0, 0, fmt.Errorf("no PostgreSQL: the first packet says it has %d bytes, legal are 8 to 10000", size)
	}
	return size, code, nil
}
