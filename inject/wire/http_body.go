package wire

import "fmt"

// syntaxError says what in the bytes of a connection is not the protocol of its link.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// body says where a body ends. The zero value is no body.
type body struct {
	kind  bodyKind
	left  int64 // of a body of known length, or of a chunk
	state chunkState
	digit bool // the size of the chunk has begun
}

type bodyKind int

const (
	counted bodyKind = iota
	chunked
	untilEnd // of the connection
)

// take says how many of the bytes belong to the body, and whether it ends with them.
func (b *body) take(p []byte) (n int, done bool, err error) {
	switch b.kind {
	case chunked:
		return b.takeChunks(p)
	case untilEnd:
		return len(p), false, nil
	}
	n = int(min(b.left, int64(len(p))))
	b.left -= int64(n)
	return n, b.left == 0, nil
}

// chunkState is what the next byte of a chunked body is.
type chunkState int

const (
	chunkSize chunkState = iota
	chunkExtension
	chunkSizeEnd
	chunkData
	chunkDataEnd
	chunkDataFeed
	trailerStart
	trailer
	trailerEnd
	trailersEnd
)

func (b *body) takeChunks(p []byte) (int, bool, error) {
	for i := 0; i < len(p); {
		if b.state == chunkData {
			n := min(b.left, int64(len(p)-i))
			i += int(n)
			if b.left -= n; b.left == 0 {
				b.state = chunkDataEnd
			}
			continue
		}
		done, err := b.step(p[i])
		i++
		if done || err != nil {
			return i, done, err
		}
	}
	return len(p), false, nil
}

// step takes one byte that is not data.
func (b *body) step(c byte) (done bool, err error) {
	switch b.state {
	case chunkSize:
		return false, b.size(c)
	case chunkExtension:
		if c == '\r' {
			b.state = chunkSizeEnd
		}
		return false, expect(c, c != '\n', "the line with the size of a chunk")
	case chunkSizeEnd:
		b.state = chunkData
		if b.left == 0 {
			b.state = trailerStart
		}
		b.digit = false
		return false, expect(c, c == '\n', "the line with the size of a chunk")
	case chunkDataEnd:
		b.state = chunkDataFeed
		return false, expect(c, c == '\r', "a chunk")
	case chunkDataFeed:
		b.state = chunkSize
		return false, expect(c, c == '\n', "a chunk")
	case trailerEnd:
		b.state = trailerStart
		return false, expect(c, c == '\n', "a trailer")
	case trailersEnd:
		return true, expect(c, c == '\n', "the trailers")
	}
	return false, b.trailer(c)
}

// size takes a byte of the line with the size of a chunk.
func (b *body) size(c byte) error {
	value := hex(c)
	if value < 0 {
		b.state = chunkExtension
		if c == '\r' {
			b.state = chunkSizeEnd
		}
		return expect(c, b.digit && (c == '\r' || c == ';' || c == ' ' || c == '\t'), "the size of a chunk")
	}
	b.digit = true
	if b.left >= 1<<58 {
		return syntaxError("a chunk is too large")
	}
	b.left = b.left<<4 | int64(value)
	return nil
}

// trailer takes a byte of the lines after the last chunk.
func (b *body) trailer(c byte) error {
	switch {
	case c == '\r' && b.state == trailerStart:
		b.state = trailersEnd
	case c == '\r':
		b.state = trailerEnd
	default:
		b.state = trailer
	}
	return expect(c, c != '\n', "a trailer")
}

func expect(c byte, ok bool, where string) error {
	if ok {
		return nil
	}
	return syntaxError(fmt.Sprintf("%q is not legal at the end of %s", c, where))
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
