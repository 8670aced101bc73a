package checkers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// likeness is what a repeat has in common with the attempt that it repeats.
type likeness int

const (
	identical likeness = iota // the same request
	reencoded                 // the same document in other bytes
	changed                   // another payload under the same key
)

// repeat is an attempt under a key of which another attempt was accepted.
type repeat struct {
	op         *history.Operation
	first      *history.Attempt // the accepted attempt that ended first
	again      *history.Attempt
	like       likeness
	after      bool // it began after first had ended
	overlapped bool // another attempt of the operation was running
	lingering  bool // an earlier attempt whose end nobody knows may still be running
	expired    bool // the key's life may have ended in between
}

// alone reports whether the answer must be that of a finished operation.
func (r *repeat) alone() bool { return r.after && !r.overlapped && !r.expired }

// request is what makes two attempts the same.
type request struct {
	key        key
	body, line string
}

// accepts finds the accepted attempt of a request. Almost always there is one.
type accepts struct {
	one   request
	index int // of the attempt, plus one
	more  map[request]int
}

func (m *accepts) get(r request) int {
	if m.index > 0 && m.one == r {
		return m.index - 1
	}
	return m.more[r] - 1
}

// put keeps the attempt that ended first.
func (m *accepts) put(r request, as []history.Attempt, i int) {
	if old := m.get(r); old >= 0 && as[old].End.Seq <= as[i].End.Seq {
		return
	}
	switch {
	case m.index == 0 || m.one == r:
		m.one, m.index = r, i+1
	case m.more == nil:
		m.more = map[request]int{r: i + 1}
	default:
		m.more[r] = i + 1
	}
}

// repeats visits the repeats in the order of their beginning. visit must not
// keep r.
func repeats(c *contract.Contract, op *history.Operation, visit func(r *repeat)) {
	as := op.Attempts
	if len(as) < 2 {
		return
	}
	life := lives(op, c.Life)
	how := comparedBy(c)
	var same, under accepts
	running, given := int64(0), int64(-1) // last end so far; when the last of unknown end was given up
	for i := range as {
		a := &as[i]
		k := keyOf(op, *a)
		what := request{k, how.body(a.Begin), a.Begin.Attrs[history.AttrRequest]}
		changedTo := variant(*a)
		r := repeat{op: op, again: a, overlapped: running > a.Begin.Seq || i+1 < len(as) && as[i+1].Begin.Seq < ended(*a)}
		n := same.get(what)
		if n < 0 {
			n = under.get(request{key: k})
			r.like = liken(as, n, a, changedTo)
		}
		if n >= 0 {
			r.first = &as[n]
			r.after = r.first.End.Seq < a.Begin.Seq
			r.lingering = given >= 0 && (c.Claim == 0 || a.Begin.At < given+int64(c.Claim+c.Claim/10))
			r.expired = life != nil && life[n] != life[i]
			visit(&r)
		}
		running = max(running, ended(*a))
		switch a.Outcome() {
		case history.OK:
			same.put(what, as, i)
			if changedTo == "" {
				under.put(request{key: k}, as, i)
			}
		case history.Unknown:
			given = forever / 2
			if a.End != nil {
				given = a.End.At
			}
		}
	}
}

func liken(as []history.Attempt, n int, a *history.Attempt, changedTo string) likeness {
	if changedTo != "" || n < 0 || a.Begin.Payload != as[n].Begin.Payload {
		return changed
	}
	return reencoded
}

// compared is what of two bodies must be equal for the same request.
type compared struct {
	by     comparison
	fields []string // JSON pointers, of byFields
}

type comparison int

const (
	byBytes    comparison = iota // the bytes
	byDocument                   // the document
	byFields                     // the named fields and what is below them
	byKey                        // nothing of what an attempt's envelope may change: only a variant is another request
)

func comparedBy(c *contract.Contract) (how compared) {
	f := &c.Fingerprint
	if !f.Judged() {
		return how
	}
	for _, v := range f.Values {
		if strings.HasPrefix(v, "/") {
			how.fields = append(how.fields, v)
		}
	}
	switch {
	case len(how.fields) == len(f.Values) && len(how.fields) > 0:
		how.by = byFields
	case len(f.Values) > 1:
	case f.Has("canonical"):
		how.by = byDocument
	case f.Has("key"), f.Has("fields"):
		how.by = byKey
	}
	return how
}

func (how compared) body(e *history.Event) string {
	switch how.by {
	case byDocument:
		return e.Payload
	case byFields:
		return e.Attrs[history.AttrVariant] + how.named(e.Body)
	case byKey:
		return e.Attrs[history.AttrVariant]
	}
	if r := raw(e); r != "" {
		return r
	}
	return e.Payload
}

// named are the values of the named fields, whatever the form of the document.
func (how compared) named(body string) string {
	var b []string
	for _, s := range scalars(body) {
		if slices.ContainsFunc(how.fields, func(f string) bool { return s.pointer == f || strings.HasPrefix(s.pointer, f+"/") }) {
			b = append(b, s.pointer+"="+s.plain())
		}
	}
	slices.Sort(b)
	return strings.Join(b, "\x00")
}

// plain is the value with its number in one form: 10 for 10.0 and 1e1.
func (s scalar) plain() string {
	if s.str || !strings.ContainsAny(s.value, ".eE") {
		return s.value
	}
	f, err := strconv.ParseFloat(s.value, 64)
	if err != nil || math.Abs(f) >= 1<<53 {
		return s.value
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
