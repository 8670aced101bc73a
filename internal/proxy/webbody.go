package proxy

import (
	"encoding/binary"
	"errors"
	"io"
)

// sentBody is the body of a request on its way to the service.
type sentBody struct {
	io.ReadCloser
	v      *visit
	to     *spool // nil: nothing is kept
	held   *held  // nil: nothing is held
	frames frames
}

func (b *sentBody) Read(p []byte) (n int, err error) {
	if b.held != nil {
		n, err = b.held.Read(p, b.to)
	} else {
		n, err = b.ReadCloser.Read(p)
		if b.to != nil && n > 0 {
			_, _ = b.to.Write(p[:n])
			if b.frames.add(p[:n]); b.frames.n > 1 {
				b.to.close() // a stream has no end: it is not kept, and not repeated
			}
		}
	}
	if errors.Is(err, io.EOF) {
		b.end()
	}
	return n, err
}

// end is called when the transport has the last byte.
func (b *sentBody) end() {
	b.v.mu.Lock()
	again := b.v.sentAll
	b.v.sentAll = true
	b.v.mu.Unlock()
	if !again && b.v.strike != nil {
		b.v.strike.sent()
	}
}

// held reads a body, and calls hold before it gives its last byte away.
type held struct {
	from io.Reader
	hold func()
	buf  []byte
	last error
	told bool
}

func newHeld(from io.Reader, hold func()) *held { return &held{from: from, hold: hold} }

// Read is that of a reader; what comes is kept in to before it is given away.
func (h *held) Read(p []byte, to *spool) (int, error) {
	for len(h.buf) < 2 && h.last == nil {
		chunk := make([]byte, 32<<10)
		n, err := h.from.Read(chunk)
		if to != nil {
			_, _ = to.Write(chunk[:n])
		}
		h.buf, h.last = append(h.buf, chunk[:n]...), err
	}
	free := len(h.buf)
	if h.last == nil || !h.told && errors.Is(h.last, io.EOF) && free > 1 {
		free-- // the last byte that is known
	} else if !h.told && errors.Is(h.last, io.EOF) && free == 1 {
		h.told = true
		h.hold()
	}
	n := copy(p, h.buf[:free])
	h.buf = h.buf[n:]
	if n == 0 && len(h.buf) == 0 && h.last != nil {
		return 0, h.last
	}
	return n, nil
}

// gotBody is the body of an answer on its way to the caller.
type gotBody struct {
	io.ReadCloser
	v      *visit
	kept   *spool // nil: nothing is kept
	frames frames
}

func (b *gotBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.kept != nil {
		_, _ = b.kept.Write(p[:n])
	}
	if b.frames.on = b.v.grpc; n > 0 {
		b.frames.add(p[:n])
	}
	if err != nil {
		b.v.finish(notEOF(err), "")
	}
	return n, err
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (b *gotBody) Close() error {
	err := b.ReadCloser.Close()
	b.v.finish(io.ErrUnexpectedEOF, "") // nothing happens if it was read to its end
	return err
}

// frames counts the messages of gRPC in a body: a flag, a length, the message.
type frames struct {
	on   bool
	n    int
	head [5]byte
	have int    // bytes of head
	left uint32 // of the message
}

func (f *frames) add(p []byte) {
	for f.on && len(p) > 0 {
		if f.left > 0 {
			k := min(uint32(len(p)), f.left)
			f.left -= k
			p = p[k:]
			continue
		}
		k := copy(f.head[f.have:], p)
		f.have += k
		p = p[k:]
		if f.have == len(f.head) {
			f.have = 0
			f.left = binary.BigEndian.Uint32(f.head[1:])
			f.n++
		}
	}
}
