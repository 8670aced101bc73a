package checkers

import (
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// slot is an attempt in the index: where it lies in the history, and its
// request and answer as numbers. Equal numbers within an operation mean the same
// request (key, bytes, document, line), the same answer (status, document, the
// headers that count).
type slot struct {
	begin, end      int64 // places; end is 0 if it never ended
	request, answer int32 // from 1
	outcome         outcome
	variant, keyed  bool
}

// entry is an operation in the index: its attempts, and what is known of it as a
// whole.
type entry struct {
	slots          []slot
	ok             *history.Event // the end of the first attempt that was answered ok
	span           time.Duration  // from the first attempt to the end of the last
	effect         string         // the observer, if all effects are readings of one under one name
	seen           int
	read           int64 // place of its last reading
	aged, unstable bool  // some mark says so
	asked          bool  // likewise

	versions, badKeys bool // some attempt carries a version of its entity; a bad key
}

type outcome uint8

const (
	isUnknown outcome = iota
	isOK
	isRefused
)

// entryOf makes the entry of an operation, its slots in room.
func entryOf(op *history.Operation, room []slot) (c entry) {
	var requests, answers map[string]int32
	for i := range op.Attempts {
		a := &op.Attempts[i]
		s := slot{begin: a.Begin.Seq, request: 1, variant: variant(*a) != "", keyed: keyOf(op, *a).key != ""}
		if i > 0 && !sameRequest(op.Attempts[0].Begin, a.Begin) {
			s.request = number(&requests, requestText(a.Begin))
		}
		switch a.Outcome() {
		case history.OK:
			s.outcome = isOK
			if c.ok == nil {
				c.ok = a.End
			}
		case history.Refused:
			s.outcome = isRefused
		}
		if a.End != nil {
			s.end, s.answer = a.End.Seq, 1
			if e := op.Attempts[0].End; i > 0 && (e == nil || !sameAnswerAs(e, a.End)) {
				s.answer = number(&answers, answerText(a.End))
			}
		}
		c.versions = c.versions || a.Begin.Attrs[history.AttrVersion] != ""
		c.badKeys = c.badKeys || badKey(a) != ""
		room = append(room, s)
		c.span = max(c.span, time.Duration(latestAt(a)-op.Attempts[0].Begin.At))
	}
	c.slots = slices.Clip(room)
	for _, m := range op.Marks {
		c.aged = c.aged || m.Name == history.MarkAged
		c.asked = c.asked || m.Name == history.MarkAsked
		c.unstable = c.unstable || m.Name == history.MarkSettled && m.Attrs["stable"] == "false"
	}
	c.effects(op)
	return c
}

// number gives each text its own number, from 2.
func number(known *map[string]int32, text string) int32 {
	if *known == nil {
		*known = map[string]int32{}
	}
	n, ok := (*known)[text]
	if !ok {
		n = int32(len(*known) + 2)
		(*known)[text] = n
	}
	return n
}

func requestText(e *history.Event) string {
	return e.Key + "\x00" + raw(e) + "\x00" + e.Payload + "\x00" + e.Attrs[history.AttrRequest] + "\x00" + e.Attrs[history.AttrKeyless]
}

func sameRequest(a, b *history.Event) bool {
	return a.Key == b.Key && raw(a) == raw(b) && a.Payload == b.Payload &&
		a.Attrs[history.AttrRequest] == b.Attrs[history.AttrRequest] && a.Attrs[history.AttrKeyless] == b.Attrs[history.AttrKeyless]
}

func answerText(e *history.Event) string {
	text := e.Status + "\x00" + e.Answer
	if e.Answer == "" {
		text += e.Body
	}
	for _, h := range kept {
		if v, ok := e.Attrs[h]; ok {
			text += "\x00" + h + "\x00" + v
		}
	}
	return text
}

func sameAnswerAs(a, b *history.Event) bool {
	return a.Status == b.Status && a.Answer == b.Answer && (a.Answer != "" || a.Body == b.Body) && sameHeaders(a, b) && sameHeaders(b, a)
}

// digest is what most rules ask of an operation: gathered once, since looking
// at every attempt again for every rule is what costs.
type digest struct {
	uniform          bool // every attempt is the same request under the same key
	serial           bool // no attempts overlap
	alike            bool // every ok is the same answer
	variants         bool
	ok, refused, all int32
	last             int64 // place of the last that was heard
	entry            *entry
}

func digestOf(c *entry) (d digest) {
	d.uniform, d.serial, d.alike = len(c.slots) > 0, true, true
	d.all, d.entry = int32(len(c.slots)), c
	running, answer := int64(0), int32(0)
	for i := range c.slots {
		s := &c.slots[i]
		d.uniform = d.uniform && s.request == 1 && s.keyed
		d.variants = d.variants || s.variant
		d.serial = d.serial && running <= s.begin
		d.last = max(d.last, s.begin, s.end)
		running = max(running, s.end)
		if s.end == 0 {
			running = forever
		}
		switch s.outcome {
		case isOK:
			d.alike = d.alike && (d.ok == 0 || s.answer == answer)
			answer = s.answer
			d.ok++
		case isRefused:
			d.refused++
		}
	}
	d.uniform = d.uniform && !d.variants
	return d
}

func (d *entry) effects(op *history.Operation) {
	for i, e := range op.Effects {
		if i == 0 {
			d.effect = e.Name
		}
		first := op.Effects[0]
		if e.Name != first.Name || e.Scope != first.Scope || e.Key != first.Key || e.Op != first.Op || e.Seq < d.read {
			d.effect = ""
			return
		}
		d.seen, d.read = e.Count, e.Seq
	}
}

// digestAll gathers the digests of groups of one operation.
func digestAll(groups []Group) {
	all := make([]digest, len(groups))
	inParts(len(groups), func(_, from, to int) {
		for i := from; i < to; i++ {
			if g := &groups[i]; g.entry != nil {
				all[i] = digestOf(g.entry)
				g.digests = all[i : i+1 : i+1]
			}
		}
	})
}

// digest is that of the nth operation.
func (g *Group) digest(n int) *digest {
	if n < len(g.digests) {
		return &g.digests[n]
	}
	c := entryOf(&g.Operations[n], nil)
	d := digestOf(&c)
	return &d
}

// outlives reports whether a key may have ended while the operation was tried.
func (d *digest) outlives(limit time.Duration) bool {
	return d.all > 1 && (limit > 0 && d.entry.span >= limit || d.entry.aged)
}

// fine reports, without looking at events, that an observer's effects of a plain
// operation are within their bounds. False says nothing.
func (g *Group) fine(o *history.Observer) bool {
	if len(g.Operations) != 1 || len(g.digests) == 0 {
		return false
	}
	d := &g.digests[0]
	c := d.entry
	if !d.uniform || c.unstable || c.asked || c.effect != o.Name || c.read < d.last || d.outlives(g.Contract.Life) {
		return false
	}
	expect := max(1, o.Expect)
	return (d.ok == 0 || c.seen >= expect) && (d.ok+d.refused < d.all || d.ok > 0) && c.seen <= expect || c.seen == 0 && d.ok == 0
}

// answered reports likewise that every answer of an operation was the same ok.
func (g *Group) answered(n int) bool {
	d := g.digest(n)
	return d.all == 1 || d.uniform && d.alike && d.ok == d.all && (!g.Contract.Marker.Judged() || g.Contract.Marker.Has("none")) &&
		(!g.Contract.Replay.Judged() || !g.Contract.Replay.Has("conflict"))
}
