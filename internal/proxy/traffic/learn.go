package traffic

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// numbers are what was counted of a route.
func (r *route) numbers() Route {
	n := Route{
		Name: r.name, Operation: r.operation.Name, Method: r.method, Path: r.path, Requests: r.requests.Load(), Keyed: r.keyed.Load(),
		Streamed: r.streamed.Load(), Upgraded: r.upgraded.Load(), Answers: map[string]int64{}, Repeats: map[string]int64{},
	}
	if n.Requests > 0 {
		n.MeanMs = math.Round(float64(r.micros.Load())/float64(n.Requests)/10) / 100
	}
	for i, word := range []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		if k := r.answers[i].Load(); k > 0 {
			n.Answers[word] = k
		}
	}
	return n
}

// Report is what was learned so far. Run, Tool, Seed, State and Notes are left
// to the caller.
func (l *Learner) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tree.mu.RLock()
	routes := append(slices.Clone(l.tree.routes), l.tree.others)
	l.tree.mu.RUnlock()
	r := Report{Version: 1, Target: l.options.Target, Listen: l.options.Listen, Started: l.start.UTC(), Verdict: NotTried,
		Seconds: math.Round(l.options.Now().Sub(l.start).Seconds()*10) / 10}
	l.breaking = breaking(routes)
	for _, route := range routes {
		j := l.judge(route)
		if j.Requests == 0 && len(j.Repeats) == 0 && j.Operation == "" {
			continue
		}
		r.Requests += j.Requests
		for _, n := range j.Repeats {
			r.Repeats += n
		}
		if rank(j.Verdict) < rank(r.Verdict) {
			r.Verdict = j.Verdict
		}
		r.Routes = append(r.Routes, j)
	}
	slices.SortFunc(r.Routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(rank(a.Verdict), rank(b.Verdict)), cmp.Compare(b.Tried, a.Tried), cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Name, b.Name))
	})
	r.Callers = l.callers(routes)
	return r
}

// breaking reports whether most repeats fail with 500 over all routes where any
// does: on each there may be too few to say.
func breaking(routes []*route) bool {
	var failed, tried int64
	for _, r := range routes {
		if r.lesson == nil {
			continue
		}
		var mine, all int64
		for _, g := range r.lesson.groups {
			if g.otherKey || g.sort == idle {
				continue
			}
			all += g.n
			if g.sort == broken && !g.swapped {
				mine += g.n
			}
		}
		if mine > 0 {
			failed, tried = failed+mine, tried+all
		}
	}
	return failed >= 5 && 4*failed >= 3*tried
}

// callers sums up what callers do with keys.
func (l *Learner) callers(routes []*route) (c Callers) {
	for _, r := range routes {
		all, keyed := r.requests.Load(), r.keyed.Load()
		switch {
		case safe(r.method) || r == l.tree.others:
		case keyed == 0:
			c.Never += all
		default:
			c.Keyed, c.Keyless = c.Keyed+keyed, c.Keyless+all-keyed
			if all > keyed {
				c.Findings = append(c.Findings, Habit{Kind: "some-keyless", Route: r.name, N: all - keyed, Cure: "send one with every request of this route: a retry without it is a new request.",
					Words: number3(all-keyed) + " of " + plural(all, "request") + " came without a key, the others with one."})
			}
		}
	}
	l.habits.mu.Lock()
	defer l.habits.mu.Unlock()
	for at, h := range l.habits.seen {
		if at.kind == retry || at.kind == retryKeyless {
			c.Retries += h.n
		}
		c.Findings = append(c.Findings, at.told(h))
	}
	slices.SortFunc(c.Findings, func(a, b Habit) int {
		return cmp.Or(cmp.Compare(weight(a.Kind), weight(b.Kind)), cmp.Compare(b.N, a.N), strings.Compare(a.Route, b.Route))
	})
	c.Findings = c.Findings[:min(len(c.Findings), mostHabits)]
	return c
}

const mostHabits = 60

func weight(kind string) int {
	return slices.Index([]string{"other-body", "new-key-after-failure", "multiplied", "retry-keyless", "retry-worse", "many-keys", "two-routes", "some-keyless", "retry"}, kind)
}

// told is a habit in words.
func (at habitAt) told(h *habit) Habit {
	words := map[kind][3]string{
		otherBody:    {"other-body", "came under a key that had been sent with another body.", "make a new key for each new request; keep it for its retries only."},
		newKeyAfter:  {"new-key-after-failure", "came again with the same body and another key, within a minute of one that failed: a retry that no service can tell from a new request.", "make the key before the first try, and keep it for all of them."},
		manyKeys:     {"many-keys", "came with a body that was sent under another key within a minute. That may be meant.", "where it is a retry, keep the key."},
		twoRoutes:    {"two-routes", "came under a key that had been sent to another route.", "make a key for each request."},
		retry:        {"retry", "came again by themselves, under the same key.", ""},
		retryWorse:   {"retry-worse", "came again under the same key after a success, and were then refused or failed.", "look at what the service answers to a repeat."},
		retryKeyless: {"retry-keyless", "came again with the same body after a failure, without a key: only what is in them can tell.", "send a key with every try."},
		multiplied:   {"multiplied", "were tried again by two layers, one above the other.", "let one layer retry, or give all of them one budget."},
	}[at.kind]
	text := plural(h.n, "request") + " " + words[1]
	if h.n == 1 {
		text = strings.NewReplacer("themselves", "itself", " were ", " was ").Replace(text)
	}
	if h.top > 0 {
		text += " Up to " + plural(int64(h.top), "try") + " by one, " + plural(int64(h.rounds), "round") + " by the other."
		text = strings.ReplaceAll(text, "trys", "tries")
	}
	return Habit{Kind: words[0], Route: at.route.name, N: h.n, Words: text, Cure: words[2], Example: h.example}
}
