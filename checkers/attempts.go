package checkers

import (
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

const forever = int64(1<<63 - 1)

// ended is the place in the history where an attempt ended.
func ended(a history.Attempt) int64 {
	if a.End == nil {
		return forever
	}
	return a.End.Seq
}

// latestAt is when an attempt may still have reached the service: it may have
// lain on its way from its beginning almost to its end.
func latestAt(a *history.Attempt) int64 {
	if a.End == nil {
		return a.Begin.At
	}
	return a.End.At
}

// lastSeq is the last that was heard of an attempt.
func lastSeq(a *history.Attempt) int64 {
	if a.End == nil {
		return a.Begin.Seq
	}
	return a.End.Seq
}

func status(a history.Attempt) string {
	if a.End == nil {
		return "no answer"
	}
	return a.End.Status
}

func variant(a history.Attempt) string { return a.Begin.Attrs[history.AttrVariant] }

// key tells apart what a service can tell apart: the key sent, or the id where
// the operation has no key; an attempt that lost its key is its own.
type key struct {
	key string
	own int64
}

func keyOf(op *history.Operation, a history.Attempt) key {
	if k := sentKey(op, a); k != "" {
		if v := a.Begin.Attrs[history.AttrVersion]; v != "" && a.Begin.Key == "" {
			k += "#" + v // without a key, two versions of one entity are two messages
		}
		return key{key: k}
	}
	return key{own: a.Begin.Seq}
}

// lives numbers the life of its key in which each attempt began. nil: all in
// the first. limit is the life; zero: any ageing may have ended it.
func lives(op *history.Operation, limit time.Duration) []int {
	as := op.Attempts
	if !mayOutlive(op, limit) {
		return nil
	}
	type start struct {
		at   int64
		aged time.Duration
		life int
	}
	starts, out := map[key]start{}, make([]int, len(as))
	var aged time.Duration
	m := 0
	for i, a := range as {
		for ; m < len(op.Marks) && op.Marks[m].Seq < a.Begin.Seq; m++ {
			aged += agedBy(op.Marks[m])
		}
		k := keyOf(op, a)
		s, known := starts[k]
		if !known {
			s = start{at: a.Begin.At, aged: aged}
		} else if past(time.Duration(latestAt(&a)-s.at), aged-s.aged, limit) {
			s = start{at: a.Begin.At, aged: aged, life: s.life + 1}
		}
		starts[k], out[i] = s, s.life
	}
	return out
}

// past reports whether a key may be gone. At the limit either result is right.
func past(waited, aged, limit time.Duration) bool {
	if limit == 0 {
		return aged > 0
	}
	return waited+aged >= limit
}

func mayOutlive(op *history.Operation, limit time.Duration) bool {
	as := op.Attempts
	if len(as) < 2 {
		return false
	}
	if limit > 0 && time.Duration(latestAt(&as[len(as)-1])-as[0].Begin.At) >= limit {
		return true
	}
	for _, m := range op.Marks {
		if m.Name == history.MarkAged {
			return true
		}
	}
	return false
}

func agedBy(m *history.Event) time.Duration {
	if m.Name != history.MarkAged {
		return 0
	}
	d, err := time.ParseDuration(m.Attrs["by"])
	if err != nil || d < 0 {
		return 0
	}
	return d
}

// expiry says what the end of a key's life does to the bounds.
type expiry int

const (
	never  expiry = iota // a repeat is refused: no new effect
	maybe                // nothing is promised: a new effect is noted, not failed
	always               // a repeat runs as new
)

func expiryOf(c *contract.Contract) expiry {
	switch {
	case c.AfterLife.Judged() && c.AfterLife.Has("new") && c.Life > 0:
		return always
	case c.AfterLife.Judged() && !c.AfterLife.Has("new"):
		return never
	}
	return maybe
}

// few is a set that does not allocate while it is small.
type few[T comparable] struct {
	small [4]T
	n     int
	large map[T]struct{}
}

func (f *few[T]) size() int { return f.n + len(f.large) }

// add reports whether v is new.
func (f *few[T]) add(v T) bool {
	for i := range f.n {
		if f.small[i] == v {
			return false
		}
	}
	if f.n < len(f.small) {
		f.small[f.n] = v
		f.n++
		return true
	}
	if _, ok := f.large[v]; ok {
		return false
	}
	if f.large == nil {
		f.large = map[T]struct{}{}
	}
	f.large[v] = struct{}{}
	return true
}
