package proxy

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	mostAwaited = 1000
	awaitedTime = 2 * time.Minute
)

// awaited are the strikes whose answer was kept from the caller: the caller's own
// retry is the repeat.
type awaited struct {
	count atomic.Int32
	mu    sync.Mutex
	byID  map[uint64]*strike
}

// put waits for the retry of a strike. The oldest are given up.
func (w *awaited) put(id uint64, s *strike) {
	w.mu.Lock()
	if w.byID == nil {
		w.byID = map[uint64]*strike{}
	}
	gone := w.old(s.begin)
	if was := w.byID[id]; was != nil {
		gone = append(gone, was)
	}
	w.byID[id] = s
	w.count.Store(int32(len(w.byID)))
	w.mu.Unlock()
	for _, s := range gone {
		s.came()
	}
}

// old takes out what no retry will come for any more. It is called with mu held.
func (w *awaited) old(now time.Time) (gone []*strike) {
	if len(w.byID) < mostAwaited/2 {
		return nil
	}
	for id, s := range w.byID {
		if now.Sub(s.begin) > awaitedTime || len(w.byID) > mostAwaited {
			gone = append(gone, s)
			delete(w.byID, id)
		}
	}
	return gone
}

// take is the strike that a request is the retry of, or nil.
func (w *awaited) take(id func() uint64) *strike {
	if w.count.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := id()
	s := w.byID[key]
	if s != nil {
		delete(w.byID, key)
		w.count.Store(int32(len(w.byID)))
	}
	return s
}

// giveUp ends all that wait.
func (w *awaited) giveUp() {
	w.mu.Lock()
	all := w.byID
	w.byID = nil
	w.count.Store(0)
	w.mu.Unlock()
	for _, s := range all {
		s.came()
	}
}
