package traffic

import (
	"slices"
	"strings"
)

const most = 8 // effects of one operation that are told apart

// count is what one observer showed of one route.
type count struct {
	say               string
	expect            int             // by the file; 0: it says nothing
	controls, doubled [most + 1]int64 // operations by the number of their effects
	resent            [most + 1]int64 // that callers sent again themselves, under one key or another
	lost              int64           // doubled, accepted, and without any
	two               int64           // doubled, with more than one, and answered under two ids of their own
	example           string          // one that is neither as a control nor nothing
	exampleCount      int
	exampleLost       string
	pair, pairLost    *Example // of these
}

// Effects notes what an observer counted for one operation.
func (l *Learner) Effects(e Effects) {
	if e.Fault == "drop-key" {
		return // it may rightly be done again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r, s := l.lesson(e.Method, e.Target)
	if strings.HasPrefix(e.Fault, "reencode") && r.keyed.Load() == 0 {
		return // its bytes may be what tells that it is a repeat
	}
	c := s.counts[e.Observer]
	if c == nil {
		if len(s.counts) >= 20 {
			return
		}
		c = &count{say: e.Say, expect: r.operation.Expect[e.Observer]}
		s.counts[e.Observer] = c
	}
	n := min(max(e.Count, 0), most)
	switch {
	case e.Early && (e.Copies == 0 || n <= 1):
	case e.Sent > 1:
		if e.Copies > 0 || e.Fault != "" {
			c.resent[n]++
		}
	case e.Copies == 0 && e.Accepted:
		c.controls[n]++
	case e.Copies > 0 && (e.Accepted || n > 0):
		c.doubled[n]++
		if n == 0 {
			c.lost++
			c.exampleLost, c.pairLost = e.Op, s.of(e.Op)
		} else if pair := s.of(e.Op); n > 1 {
			c.more(&e, pair)
		}
	}
}

// more notes a request with more than one effect.
func (c *count) more(e *Effects, pair *Example) {
	if pair != nil && pair.namesTwo() {
		c.two++
	}
	if pair != nil || c.pair == nil {
		c.example, c.exampleCount, c.pair = e.Op, e.Count, pair
	}
}

// namesTwo reports whether two answers say that they are about different things.
func (e *Example) namesTwo() bool {
	return slices.ContainsFunc(e.Differences, func(d Difference) bool {
		return d.First != "" && d.Second != "" && (d.Where == "header location" || own.MatchString(d.Where))
	})
}

// twice judges requests that were sent twice and had more effects than those that
// were sent once. Some requests may have more by their nature. That none of the
// controls did, by chance alone, has a probability: that of drawing all the odd ones
// for the repeats (Fisher's exact test, one-sided). Two ids in the answers to such a
// request are evidence of their own, and where the file says how many effects there
// are to be (expect:), one request with more is enough.
func (c *count) twice(k Counted) Verdict {
	p := 1.0
	for i := range k.Twice {
		p *= float64(k.Repeated-i) / float64(k.Repeated+k.Controls-i)
	}
	switch {
	case c.expect > 0, p < 1e-4, c.two >= 2 && p < 0.05:
		return Certain
	case p < 1e-3, c.two >= 1 && p < 0.05:
		return Likely
	}
	return Unknown
}

// lesson is that of the route of a request. The lock is held.
func (l *Learner) lesson(method, target string) (*route, *lesson) {
	path := []byte(pathOf(target))
	l.tree.mu.Lock()
	defer l.tree.mu.Unlock()
	r := l.tree.find([]byte(method), path)
	if r == nil {
		r = l.tree.make([]byte(method), path)
	}
	if r.lesson == nil {
		r.lesson = newLesson()
	}
	return r, r.lesson
}

func (c *count) merge(o *count) {
	for i := range c.controls {
		c.controls[i] += o.controls[i]
		c.doubled[i] += o.doubled[i]
		c.resent[i] += o.resent[i]
	}
	c.lost += o.lost
	c.two += o.two
	if c.example == "" {
		c.example, c.exampleCount, c.pair = o.example, o.exampleCount, o.pair
	}
	if c.exampleLost == "" {
		c.exampleLost, c.pairLost = o.exampleLost, o.pairLost
	}
}

// usual is how many effects a control has, -1 if they vary or are too few to say.
func (c *count) usual() int {
	const enough = 3
	value, n := -1, int64(0)
	for i, k := range c.controls {
		if k > 0 && value >= 0 {
			return -1
		}
		if k > 0 {
			value, n = i, k
		}
	}
	if n < enough || value == most || c.expect > 0 && value != c.expect {
		return -1
	}
	return value
}

// read is how many repeats were counted and had no more effects than they should.
// More effects of what callers sent again say nothing: that may be meant. None is
// right where the first sending had them.
func (c *count) read(usual int) (n int64) {
	for _, k := range c.doubled {
		n += k
	}
	for _, k := range c.resent[:usual+1] {
		n += k
	}
	return n
}

// counted sums it up.
func (c *count) counted(observer string) Counted {
	k := Counted{Observer: observer, Say: c.say, Usual: c.usual()}
	for i := range c.controls {
		k.Controls += c.controls[i]
		k.Repeated += c.doubled[i]
		if k.Usual > 0 && i > k.Usual {
			k.Twice += c.doubled[i]
		}
	}
	if k.Usual > 0 {
		k.Lost = c.lost
	}
	return k
}
