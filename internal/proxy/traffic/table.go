package traffic

import "sync"

// A table remembers the newest of many things by their hashes, in memory that
// never grows: who comes to a full bucket takes the place of the first there.
type table struct {
	buckets []bucket
	locks   [64]sync.Mutex
}

const bucketSize = 7 // with the hand, the ids fill one line of a cache

type bucket struct {
	ids   [bucketSize]uint64
	hand  uint64 // whose place is taken next
	slots [bucketSize]slot
}

// slot is one key, or one body, as it was last seen.
type slot struct {
	body   uint64
	key    uint64
	at     int64  // microseconds since the start
	route  uint32 // its number
	folds  uint32 // of the tree, when it was seen: routes of before may be gone
	status uint16
	seen   uint8 // requests, at most 255
	try    uint8 // the last number that a header gave
	top    uint8 // the highest
	again  uint8 // how often the numbers began again
	lost   bool  // the last answer did not reach the caller
	kept   bool  // since the proxy kept it back
}

func (t *table) init(size int) {
	n := 64
	for n*bucketSize < size {
		n *= 2
	}
	t.buckets = make([]bucket, n)
}

// at locks the slot of a hash. Where there is none it gives an empty one.
func (t *table) at(id uint64) (s *slot, found bool, unlock *sync.Mutex) {
	n := (id ^ id>>29) & uint64(len(t.buckets)-1)
	unlock = &t.locks[n&63]
	unlock.Lock()
	b := &t.buckets[n]
	for i, have := range b.ids {
		if have == id {
			return &b.slots[i], true, unlock
		}
	}
	i := b.hand % bucketSize
	b.hand++
	b.ids[i], b.slots[i] = id, slot{}
	return &b.slots[i], false, unlock
}

// mix makes one hash of two.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h ^= h >> 32
	return max(h, 1)
}
