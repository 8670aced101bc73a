package traffic

import (
	"net/http"
	"slices"
	"strings"
)

const (
	mostLooking = 64 // pairs that are looked at together
	mostSights  = 10 // of one route
)

// looks are the GETs that would show whether two answers name two things: one for
// each, and one for a thing that nobody made, which must not be found.
type looks struct {
	next  int64
	open  map[int64]*looking
	ready []Look
	pairs int
}

// looking is one pair that is looked at.
type looking struct {
	method, target string
	ids            [2]string
	paths          [2]string
	asked          map[string]bool
	answers        [3]*Answer
	missing        int
	example        *Example
}

// sight is what a pair of looks has shown.
type sight struct {
	paths   [2]string
	example *Example
	two     bool              // two things, each under its own name, else alike
	same    map[string]uint64 // identities that both show
}

// propose asks for looks at what a pair of answers names.
func (l *Learner) propose(r *Repeat, p *pair, s *lesson, asked map[string]bool) {
	if p.sort != otherID || r.OtherKey || r.Reencoded && r.Key == "" || p.marked || status(r.First) == http.StatusAccepted || len(s.seen) >= mostSights || l.looks.pairs >= mostLooking || temporary(r.Target) {
		return
	}
	k := &looking{method: r.Method, target: r.Target, asked: asked, missing: 3}
	if !l.aim(k, r, p) {
		return
	}
	if l.looks.open == nil {
		l.looks.open = map[int64]*looking{}
	}
	if len(s.seen) < 2 {
		k.example = l.example(r, p, longBody)
	}
	l.looks.pairs++
	header := credentialsOf(r.Header)
	for _, path := range []string{k.paths[0], k.paths[1], strings.Replace(k.paths[1], k.ids[1], other(k.ids[1]), 1)} {
		id := l.looks.next
		l.looks.next++
		l.looks.open[id] = k
		l.looks.ready = append(l.looks.ready, Look{id, path, header})
	}
}

// aim finds where the two things would be.
func (l *Learner) aim(k *looking, r *Repeat, p *pair) bool {
	for _, d := range p.ids {
		switch {
		case d.Where == "header location" && here(d.First) && here(d.Second):
			k.paths = [2]string{d.First, d.Second}
			k.ids = [2]string{last(strings.TrimSuffix(d.First, "/")), last(strings.TrimSuffix(d.Second, "/"))}
		case d.Where == "header location":
		case own.MatchString(d.Where) && k.paths[0] == "" && plainID(d.First) && plainID(d.Second):
			base := strings.TrimSuffix(pathOf(r.Target), "/")
			k.ids, k.paths = [2]string{d.First, d.Second}, [2]string{base + "/" + d.First, base + "/" + d.Second}
			if !l.shown(k.paths[0]) {
				k.paths = [2]string{}
			}
		}
	}
	return k.paths[0] != "" && k.ids[0] != "" && k.ids[1] != "" && k.ids[0] != k.ids[1]
}

// here reports whether a path is one of the service itself.
func here(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && !strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c > '~' })
}

// plainID reports whether an id can stand in a path as it is.
func plainID(id string) bool {
	return id != "" && len(id) <= 100 && !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("-_.:~", c))
	}) && strings.Trim(id, ".") != ""
}

// shown reports whether callers read things of this path.
func (l *Learner) shown(path string) bool {
	l.tree.mu.RLock()
	defer l.tree.mu.RUnlock()
	r := l.tree.find([]byte("GET"), []byte(path))
	return r != nil && r.answers[2].Load() > 0
}

// other is an id of the same form that nobody has.
func other(id string) string {
	b := []byte(id)
	turned := 0
	for i := len(b) - 1; i >= 0 && turned < 12; i-- {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			b[i] = '0' + (c-'0'+7)%10
		case c >= 'a' && c <= 'f':
			b[i] = 'a' + (c-'a'+2)%6
		case c >= 'A' && c <= 'F':
			b[i] = 'A' + (c-'A'+2)%6
		default:
			continue
		}
		turned++
	}
	if s := shapeOf(b); s.digits == len(b) && len(b) < 12 {
		return "9" + string(b) + "0473" // a number that the next ones do not reach
	}
	return string(b)
}

// credentialsOf is what of a header belongs to who calls, and not to the request.
func credentialsOf(h http.Header) http.Header {
	kept := http.Header{}
	for name, values := range h {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "content-") || strings.HasPrefix(lower, "if-") || strings.Contains(lower, "idempoten") || slices.Contains(ofTheRequest, lower) {
			continue
		}
		kept[name] = slices.Clone(values)
	}
	return kept
}

var ofTheRequest = []string{"host", "connection", "transfer-encoding", "te", "trailer", "expect", "range", "upgrade", "accept-encoding", "digest", "prefer",
	"keep-alive", "proxy-connection", "paypal-request-id", "repeatability-request-id", "repeatability-first-sent"}

// Looks are the GETs that would show what repeats made, each given out once.
func (l *Learner) Looks() []Look {
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := l.looks.ready
	l.looks.ready = nil
	return ready
}

// Looked notes how a look was answered.
func (l *Learner) Looked(id int64, a Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.looks.open[id]
	if k == nil {
		return
	}
	delete(l.looks.open, id)
	k.answers[id%3] = &a
	if k.missing--; k.missing > 0 {
		return
	}
	l.looks.pairs--
	_, s := l.lesson(k.method, k.target)
	if len(s.seen) < mostSights {
		for _, a := range k.answers {
			if a.Err != "" || a.Status == 0 {
				return // it was not looked at
			}
		}
		got := k.sight()
		got.example = k.example
		s.seen = append(s.seen, got)
	}
}

// sight judges the answers to the looks at one pair.
func (k *looking) sight() sight {
	s := sight{paths: k.paths, same: map[string]uint64{}}
	if k.answers[0].Status != http.StatusOK || k.answers[1].Status != http.StatusOK || k.answers[2].Status/100 == 2 {
		return s
	}
	a, b := read(*k.answers[0]), read(*k.answers[1])
	if !shows(a, k.ids[0]) || shows(a, k.ids[1]) || !shows(b, k.ids[1]) || shows(b, k.ids[0]) {
		return s
	}
	there := map[string]scalar{}
	for _, v := range b.scalars {
		there[v.where] = v
	}
	for _, v := range a.scalars {
		again, ok := there[v.where]
		switch {
		case !ok, v.value == again.value && !identity(v) && !(v.text && len(v.value) >= longWord && dense.MatchString(v.value)):
		case v.value == again.value:
			if !calm(v.where, v.value, v.value) && !k.asked[v.value] {
				s.same[v.where] = hashOf(v.value)
			}
		case v.text && !identity(v) && !calm(v.where, v.value, again.value), !v.text && (v.value == "true" || v.value == "false"):
			return s // one of them is in another state: perhaps it says that it is a duplicate
		}
	}
	s.two = len(a.scalars) == len(b.scalars)
	return s
}

func shows(d document, id string) bool {
	return slices.ContainsFunc(d.scalars, func(s scalar) bool { return s.value == id })
}

// temporary reports whether what is at a path is made anew for each request by
// intention, or stands for the work on a request.
func temporary(target string) bool {
	path := pathOf(target)
	return transient.MatchString(path) || procedures.MatchString(path)
}

// twoThings are the pairs of looks that showed two things for one request. An
// identity of the service that each pair shares, and other pairs have another,
// says that both belong to one thing.
func (s *lesson) twoThings() (n int64, shown sight) {
	shared := map[string]map[uint64]int{}
	for _, v := range s.seen {
		if !v.two {
			continue
		}
		n++
		if shown.example == nil {
			shown = v
		}
		for where, value := range v.same {
			if shared[where] == nil {
				shared[where] = map[uint64]int{}
			}
			shared[where][value]++
		}
	}
	for _, values := range shared {
		times := 0
		for _, k := range values {
			times += k
		}
		if times == len(values) { // no two pairs show the same
			return 0, shown
		}
	}
	return n, shown
}
