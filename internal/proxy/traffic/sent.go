package traffic

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// Sent is what the head of a request says of keys and retries.
type Sent struct {
	Key   []byte // the idempotency key, nil without one; part of the head
	Who   uint64 // a hash of the credentials; 0 without
	Try   int    // the number of this try, from 1, where a header tells; 0 where none does
	Layer Layer  // who says so
	Same  uint64 // a hash of what stays the same over the tries of one call; 0 without
}

// Layer is who numbers tries.
type Layer uint8

// The layers whose headers are known.
const (
	Unnumbered Layer = iota
	Mesh             // x-envoy-attempt-count
	SDK              // x-stainless-retry-count, amz-sdk-request, ...
)

// what a header is read for.
type what uint8

const (
	nothing what = iota
	key
	credentials
	fromOne   // the number of the try
	fromZero  // the number of tries before
	meshTry   // fromOne, by a mesh
	amazon    // attempt=2; max=3
	sameCalls // one value for all tries of one call
)

var known = map[string]what{
	"authorization": credentials, "cookie": credentials, "x-api-key": credentials,
	"x-envoy-attempt-count": meshTry, "x-stainless-retry-count": fromZero, "amz-sdk-request": amazon,
	"amz-sdk-invocation-id": sameCalls, "x-retry-count": fromZero, "x-retry-attempt": fromZero, "grpc-previous-rpc-attempts": fromZero,
}

const longestName = 48 // of a header that is looked at

// carriers knows the headers that are read, and sorts out the others fast.
type carriers struct {
	by    map[string]what
	maybe [longestName + 1]uint32 // for each length the first letters
}

func newCarriers(o Options) carriers {
	c := carriers{by: map[string]what{}}
	for name, w := range known {
		c.add(name, w)
	}
	add := func(promise contract.Contract) {
		for _, v := range promise.Carrier.Values {
			if name, ok := strings.CutPrefix(v, "header "); ok {
				c.add(name, key)
			}
		}
	}
	for _, preset := range contract.Catalogue {
		add(preset)
	}
	add(o.Contract)
	for _, op := range o.Operations {
		add(op.Contract)
	}
	for _, name := range o.Keys {
		c.add(name, key)
	}
	return c
}

func (c *carriers) add(name string, w what) {
	name = strings.ToLower(name)
	if len(name) == 0 || len(name) > longestName {
		return
	}
	c.by[name] = w
	c.maybe[len(name)] |= 1 << (name[0] & 31)
}

// Read reads the head of a request, as it is on the wire, in one pass. It
// allocates nothing.
func (l *Learner) Read(head []byte) (s Sent) {
	var lower [longestName]byte
	for {
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			return s
		}
		head = head[end+1:] // the start line at first
		n := bytes.IndexByte(head, ':')
		if n <= 0 || n > longestName || l.maybe[n]&(1<<(head[0]&31)) == 0 {
			continue
		}
		for i, b := range head[:n] {
			if 'A' <= b && b <= 'Z' {
				b |= 0x20
			}
			lower[i] = b
		}
		if w := l.by[string(lower[:n])]; w != nothing {
			value, _, _ := bytes.Cut(head[n+1:], []byte{'\n'})
			s.read(w, bytes.TrimSpace(value))
		}
	}
}

// ReadHeader is Read for a header that net/http has taken apart.
func (l *Learner) ReadHeader(h http.Header) (s Sent) {
	for name, values := range h {
		if w := l.by[strings.ToLower(name)]; w != nothing && len(values) > 0 {
			s.read(w, []byte(strings.TrimSpace(values[0])))
		}
	}
	return s
}

func (s *Sent) read(w what, value []byte) {
	switch w {
	case key:
		if s.Key == nil && len(value) > 0 {
			s.Key = value
		}
	case credentials:
		s.Who ^= hash(value) // in any order
	case sameCalls:
		s.Same = hash(value)
	case meshTry:
		s.try(Mesh, number(value))
	case fromOne:
		s.try(SDK, number(value))
	case fromZero:
		s.try(SDK, number(value)+1)
	case amazon:
		if _, after, ok := bytes.Cut(value, []byte("attempt=")); ok {
			s.try(SDK, number(after))
		}
	}
}

// try keeps the layer that is nearest to the service.
func (s *Sent) try(by Layer, n int) {
	if n > 0 && (s.Layer != Mesh || by == Mesh) {
		s.Layer, s.Try = by, n
	}
}

// number is the number that text begins with, -1 without one.
func number(text []byte) int {
	n := -1
	for _, b := range text {
		if b < '0' || b > '9' || n > 1000 {
			break
		}
		n = max(n, 0)*10 + int(b-'0')
	}
	return n
}

const prime = 0x9e3779b97f4a7c15

// hash is fast, and the same in every run. It is no secret.
func hash(b []byte) uint64 {
	h := uint64(len(b))
	for len(b) >= 8 {
		h = stir(h, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var rest uint64
	for i, c := range b {
		rest |= uint64(c) << (8 * i)
	}
	return stir(h, rest)
}

func stir(h, word uint64) uint64 {
	h = (h ^ word) * prime
	return h ^ h>>29
}

func hashOf(s string) uint64 { return hash([]byte(s)) }
