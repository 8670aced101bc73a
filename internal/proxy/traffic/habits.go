package traffic

import "sync"

// kind of a habit.
type kind uint8

const (
	twoRoutes kind = iota
	otherBody
	manyKeys
	newKeyAfter
	retry
	retryWorse
	retryKeyless
	multiplied
)

// habits counts what callers do, by route. There are no more of them than kinds
// times routes.
type habits struct {
	mu   sync.Mutex
	seen map[habitAt]*habit
}

type habitAt struct {
	kind  kind
	route *route
}

type habit struct {
	n           int64
	example     string
	top, rounds int
}

func (h *habits) note(k kind, r *route, key []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := habitAt{k, r}
	got := h.seen[at]
	if got == nil {
		if h.seen == nil {
			h.seen = map[habitAt]*habit{}
		}
		got = &habit{example: string(key[:min(len(key), 80)])}
		h.seen[at] = got
	}
	got.n++
}

// widest keeps the most tries that layers made together.
func (h *habits) widest(r *route, top, rounds int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := h.seen[habitAt{multiplied, r}]; got != nil && top*rounds > got.top*got.rounds {
		got.top, got.rounds = top, rounds
	}
}
