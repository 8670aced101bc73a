package relay

import "sync"

const (
	smallBuffer = 4 << 10
	largeBuffer = 32 << 10
	peekRaw     = 16 << 10 // of a chunked body, to find MaxPeek bytes of data in
)

// A buffer holds what was read and not used yet: b[r:w].
type buffer struct {
	b    []byte
	r, w int
}

func (b *buffer) data() []byte { return b.b[b.r:b.w] }

func (b *buffer) free() []byte { return b.b[b.w:] }

// use marks n bytes as used.
func (b *buffer) use(n int) {
	if b.r += n; b.r == b.w {
		b.r, b.w = 0, 0
	}
}

// room makes room for data of n bytes in all, and for one byte more than there is.
// It may move what is there.
func (b *buffer) room(n int) {
	n = max(n, b.w-b.r+1)
	if len(b.b)-b.r >= n {
		return
	}
	to := b.b
	if n > len(b.b) {
		to = make([]byte, max(n, 2*len(b.b)))
	}
	b.r, b.w, b.b = 0, copy(to, b.data()), to
}

// push puts bytes behind those that are there.
func (b *buffer) push(p []byte) {
	b.room(b.w - b.r + len(p))
	b.w += copy(b.free(), p)
}

// shrink gives up a buffer that a large message needed.
func (b *buffer) shrink() {
	if b.w == 0 && len(b.b) > largeBuffer {
		b.b = make([]byte, smallBuffer)
	}
}

// Buffers are pooled by size.
var smalls, larges = poolOf(smallBuffer), poolOf(largeBuffer)

func poolOf(size int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, size); return &b }}
}
