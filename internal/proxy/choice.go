package proxy

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// hash is a fast hash of 64 bits that is the same in each process: the choice of
// requests must be. It is no defence against someone who looks for collisions.
func hash(seed uint64, b []byte) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := seed ^ k0
	n := uint64(len(b))
	for ; len(b) >= 16; b = b[16:] {
		h = mix(binary.LittleEndian.Uint64(b)^k1, binary.LittleEndian.Uint64(b[8:])^h)
	}
	var tail [16]byte
	copy(tail[:], b)
	h = mix(binary.LittleEndian.Uint64(tail[:])^k1, binary.LittleEndian.Uint64(tail[8:])^h)
	return mix(h^k0, n^k1)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// maxStart is how much of a body makes a request without a key known.
const maxStart = 4 << 10

// identity is what makes a request the same as another one: its key, else
// method, target and the start of the body.
func (q *heard) identity(seed uint64) uint64 {
	if q.key != nil {
		return hash(seed^1, q.key)
	}
	h := hash(seed^2, q.method)
	h = hash(h, q.target)
	return hash(h, q.start[:min(len(q.start), maxStart)])
}

// chooses tells whether the rule strikes a request that it matches. A percentage
// is a pure function of the seed, the rule, the request's identity and which of
// its attempts this is.
func (r *rule) chooses(seed, identity uint64, attempts *counter) bool {
	n := r.seen.Add(1)
	switch {
	case r.Share.First > 0:
		return n <= int64(r.Share.First)
	case r.Share.Every > 0:
		return n%int64(r.Share.Every) == 0
	}
	attempt := attempts.next(identity + uint64(r.number))
	h := mix(identity^uint64(r.number+1)*0x9e3779b97f4a7c15, seed^uint64(attempt)*0xd1b54a32d192ed03)
	return float64(h>>11)/(1<<53) < r.Share.Percent/100
}

// counter counts how often each identity came, for those of late. It is bounded:
// one that has not come for long begins anew.
type counter struct {
	mu       sync.Mutex
	now, old map[uint64]uint32
}

const counted = 1 << 16 // identities in each generation

func (c *counter) next(id uint64) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil || len(c.now) >= counted {
		c.now, c.old = make(map[uint64]uint32), c.now
	}
	n, ok := c.now[id]
	if !ok {
		n = c.old[id]
	}
	c.now[id] = n + 1
	return n + 1
}

// count is what next returned last for an identity.
func (c *counter) count(id uint64) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.now[id]; ok {
		return n
	}
	return c.old[id]
}
