package relay

// Limits of what surrounds the data of a chunked body.
const (
	maxDigits    = 16
	maxChunk     = 1 << 60
	maxExtension = 256     // of one chunk
	maxExtended  = 8 << 10 // of all
	maxTrailers  = 2 << 10
	maxLoose     = 32 << 10 // trailers of an answer
)

// chunks scans a chunked body, in whatever pieces it comes.
type chunks struct {
	loose bool // an answer's: white space after a size, longer trailers

	state    uint8
	left     uint64 // of the chunk's data
	digits   int
	extended int // bytes of extensions of this chunk
	total    int // and of all, and of the trailers

	keep []byte // if it has room, the data is copied there
}

const (
	atSize = iota
	inSize
	inPad
	inExtension
	atSizeEnd
	inData
	atDataCR
	atDataLF
	atTrailer
	inTrailerName
	inTrailerValue
	atTrailerEnd
	atEnd
)

// scan tells how many of the bytes that came belong to the body, and whether it
// ends with them. After an error the body is unusable.
func (c *chunks) scan(b []byte) (n int, done bool, err error) {
	for n < len(b) {
		if c.state == inData {
			n += c.data(b[n:])
			continue
		}
		if v := c.next(b[n]); v != nil {
			return n, false, v
		}
		n++
		if c.state == atEnd+1 {
			return n, true, nil
		}
	}
	return n, false, nil
}

// data passes over the data of a chunk.
func (c *chunks) data(b []byte) int {
	n := int(min(uint64(len(b)), c.left))
	if room := cap(c.keep) - len(c.keep); room > 0 {
		c.keep = append(c.keep, b[:min(n, room)]...)
	}
	if c.left -= uint64(n); c.left == 0 {
		c.state = atDataCR
	}
	return n
}

// next reads one byte outside of data.
func (c *chunks) next(b byte) *verdict {
	switch c.state {
	case atSize, inSize, inPad, inExtension:
		return c.size(b)
	case atSizeEnd:
		return c.sizeEnd(b)
	case atDataCR:
		return c.must(b, '\r', atDataLF)
	case atDataLF:
		c.digits, c.extended = 0, 0
		return c.must(b, '\n', atSize)
	case atEnd:
		return c.must(b, '\n', atEnd+1)
	}
	return c.trailer(b)
}

func (c *chunks) must(b, want byte, then uint8) *verdict {
	if b != want {
		return badChunk
	}
	c.state = then
	return nil
}

// size reads the line that begins a chunk.
func (c *chunks) size(b byte) *verdict {
	digit, isDigit := hex(b)
	switch {
	case c.state <= inSize && isDigit:
		if c.digits++; c.digits > maxDigits || c.left >= maxChunk>>4 {
			return badChunkLarge
		}
		c.left, c.state = c.left<<4|uint64(digit), inSize
		return nil
	case c.state == atSize:
		return badChunk
	case b == '\r':
		c.state = atSizeEnd
		return nil
	case c.state == inSize && b == ';':
		c.state = inExtension
	case c.state <= inPad && c.loose && (b == ' ' || b == '\t'):
		c.state = inPad
	case c.state != inExtension || class[b]&inValue == 0:
		return badChunk
	}
	c.extended++
	if c.total++; c.extended > maxExtension || c.total > maxExtended {
		return badChunkLarge
	}
	return nil
}

func (c *chunks) sizeEnd(b byte) *verdict {
	if c.left > 0 {
		return c.must(b, '\n', inData)
	}
	c.total = 0
	return c.must(b, '\n', atTrailer)
}

// trailer reads the fields after the last chunk, and the empty line.
func (c *chunks) trailer(b byte) *verdict {
	c.total++
	switch {
	case c.total > maxTrailers && !c.loose, c.total > maxLoose:
		return badTrailer
	case c.state == atTrailer && b == '\r':
		c.state = atEnd
	case (c.state == atTrailer || c.state == inTrailerName) && class[b]&inToken != 0:
		c.state = inTrailerName
	case c.state == inTrailerName && b == ':':
		c.state = inTrailerValue
	case c.state == inTrailerValue && b == '\r':
		c.state = atTrailerEnd
	case c.state == inTrailerValue && class[b]&inValue != 0:
	case c.state == atTrailerEnd && b == '\n':
		c.state = atTrailer
	default:
		return badTrailer
	}
	return nil
}

func hex(b byte) (uint8, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
