package traffic

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// sort of a pair of answers.
type sort string

const (
	idle       sort = "idle"       // the first was no success: it says nothing of repeats
	alike      sort = "alike"      // both accepted, and nothing tells them apart
	otherID    sort = "other-id"   // both accepted, and another id
	otherState sort = "state"      // both accepted, and other values that are no ids
	silent     sort = "silent"     // the second does not tell what the first told
	mute       sort = "mute"       // both accepted, and differ in ways that say nothing
	conflict   sort = "conflict"   // 409 and the like
	limited    sort = "limited"    // 429
	overload   sort = "overload"   // 502, 503, 504
	refused    sort = "refused"    // another 4xx after a success
	barred     sort = "barred"     // 401, 403
	condition  sort = "condition"  // 412
	vanished   sort = "vanished"   // 404, 410 to a repeated DELETE
	broken     sort = "broken"     // 500 after a success
	unanswered sort = "unanswered" // reset, timeout
)

// pair is what two answers say together.
type pair struct {
	sort       sort
	a, b       document
	class      [2]contract.Class
	marked     bool // the second says that it is a replay
	swapped    bool // they overlapped, and the second was accepted where the first was not
	recognised bool // a refusal that says that it knows the request
	ids        []Difference
	others     []Difference
	calm       []string // places that differ and may
	kept       []scalar // identities that both show
	first      []scalar // identities that the first shows, which the caller did not send
	location   [2]string
}

// compare takes two answers apart. asked are the values that the caller sent.
func (l *Learner) compare(r *Repeat, asked map[string]bool) pair {
	p := pair{class: [2]contract.Class{r.First.Class(), r.Second.Class()}}
	p.a, p.b = read(r.First), read(r.Second)
	p.location = [2]string{location(r.First.Header), location(r.Second.Header)}
	p.marked = l.marked(r.First, r.Second, p.b)
	for _, s := range p.a.scalars {
		if identity(s) && !asked[s.value] && !passing.MatchString(last(s.where)) {
			p.first = append(p.first, s)
		}
	}
	p.sort = p.classed(r)
	if p.sort == alike {
		l.differences(r, &p, asked)
	}
	return p
}

// classed sorts a pair by its statuses; alike stands for two successes.
func (p *pair) classed(r *Repeat) sort {
	second := r.Second
	switch ok := contract.OK; {
	case p.class[0] == ok && p.class[1] == ok:
		return alike
	case r.Overlapped && p.class[1] == ok:
		second, p.swapped = r.First, true // who came first nobody knows
	case p.class[0] != ok:
		return idle
	}
	switch n := status(second); {
	case n == http.StatusConflict, n == http.StatusLocked, n == http.StatusTooEarly:
		return conflict
	case n == http.StatusTooManyRequests:
		return limited
	case n == http.StatusBadGateway, n == http.StatusServiceUnavailable, n == http.StatusGatewayTimeout, n == 529:
		return overload
	case n == http.StatusUnauthorized, n == http.StatusForbidden, n == http.StatusProxyAuthRequired:
		return barred
	case n == http.StatusPreconditionFailed:
		return condition
	case r.Method == http.MethodDelete && (n == http.StatusNotFound || n == http.StatusGone):
		return vanished
	case n == http.StatusRequestTimeout, n == 499, n < 400, second.Err != "":
		return unanswered
	case n >= 500:
		return broken
	}
	p.recognised = duplicate.Match(p.b.body)
	return refused
}

// Class says how an attempt ended.
func (a Answer) Class() contract.Class {
	if a.Err != "" {
		return contract.Unknown
	}
	return Class(status(a))
}

// Class says how an attempt with this HTTP status ended; 0: there was none. A form
// that was posted leads on by a 3xx.
func Class(status int) contract.Class {
	if status >= 0 && status < len(classes) {
		return classes[status]
	}
	return contract.Unknown
}

var classes = func() (all [600]contract.Class) {
	for n := range all {
		c, err := contract.Contract{}.Classify(strconv.Itoa(n))
		switch {
		case n/100 == 3 && n != http.StatusNotModified:
			c = contract.OK
		case err != nil:
			c = contract.Unknown
		}
		all[n] = c
	}
	return all
}()

// status is that of the answer, or what that of gRPC means in HTTP.
func status(a Answer) int {
	code := cmp.Or(a.Trailer.Get("Grpc-Status"), a.Header.Get("Grpc-Status"))
	if code == "" || a.Status != http.StatusOK {
		return a.Status
	}
	n, err := strconv.Atoi(code)
	if err != nil || n < 0 || n >= len(grpcStatuses) {
		return http.StatusInternalServerError
	}
	return grpcStatuses[n]
}

// grpcStatuses are the codes of gRPC, from OK to UNAUTHENTICATED.
var grpcStatuses = [...]int{200, 499, 500, 400, 504, 404, 409, 403, 429, 412, 409, 400, 501, 500, 503, 500, 401}

func location(h http.Header) string {
	if v := pathOf(h.Get("Location")); v != "" {
		return v
	}
	return pathOf(h.Get("Content-Location"))
}

// marked reports whether the second answer says that it is a replay, and the
// first does not.
func (l *Learner) marked(first, second Answer, b document) bool {
	if l.markedBy(first, second) {
		return true
	}
	for _, s := range b.scalars {
		if s.value == "true" && markers.MatchString(last(s.where)) {
			return true
		}
	}
	return false
}

// markedBy reports whether a header of the second answer says so.
func (l *Learner) markedBy(first, second Answer) bool {
	for name, values := range second.Header {
		if len(values) > 0 && yes(values[0]) && markers.MatchString(name) && !yes(first.Header.Get(name)) {
			return true
		}
	}
	return false
}

func yes(v string) bool {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "true", "1", "yes", "hit", "accepted", "replayed", "duplicate":
		return true
	}
	return false
}

// differences compares two successes field by field.
func (l *Learner) differences(r *Repeat, p *pair, asked map[string]bool) {
	if x, y := p.location[0], p.location[1]; x != y && x != "" && y != "" {
		p.ids = append(p.ids, Difference{"header location", x, y})
	} else if x != "" && y == "" && status(r.First) == status(r.Second) {
		p.others = append(p.others, Difference{"header location", x, y})
	}
	a, b := p.a, p.b
	switch {
	case bytes.Equal(a.body, b.body), a.form == "json" && b.form == "json" && bytes.Equal(a.plain, b.plain):
		p.kept = append(p.kept, p.first...)
	case a.scalars != nil && b.scalars != nil && a.form == b.form:
		l.fields(p, asked)
	case (b.form == "empty" || a.form != b.form) && len(p.first) > 0:
		p.sort = silent
		return
	default:
		p.sort = mute
	}
	switch {
	case len(p.ids) > 0:
		p.sort = otherID
	case p.sort == mute:
	case len(p.others) > 0:
		p.sort = otherState
	}
}

// fields compares two documents. Values at one place of lists are compared as a
// set: nobody promises an order.
func (l *Learner) fields(p *pair, asked map[string]bool) {
	there := map[string][]scalar{}
	for _, s := range p.b.scalars {
		there[s.where] = append(there[s.where], s)
	}
	told, untold := 0, 0 // identities that the second answer tells, and does not
	for _, s := range p.a.scalars {
		again := there[s.where]
		mine := identity(s) && !asked[s.value]
		i := slices.IndexFunc(again, func(t scalar) bool { return t.value == s.value })
		switch {
		case i >= 0:
			there[s.where] = slices.Delete(slices.Clone(again), i, i+1)
			if mine {
				p.kept = append(p.kept, s)
				told++
			}
		case l.masked(s.where):
		case len(again) == 0:
			if mine && !passing.MatchString(last(s.where)) && !l.fresh[last(s.where)] {
				untold++
			}
			if !calm(s.where, s.value, s.value) {
				p.others = append(p.others, Difference{s.where, s.value, ""})
			}
		case calm(s.where, s.value, again[0].value), l.fresh[last(s.where)]:
			p.calm = append(p.calm, s.where)
		case mine && identity(again[0]) && !strings.Contains(s.where, "/*") && len(again) == 1:
			p.ids = append(p.ids, Difference{s.where, s.value, again[0].value})
			told++
		default:
			p.others = append(p.others, Difference{s.where, s.value, again[0].value})
			if mine {
				told++
			}
		}
	}
	if told == 0 && untold > 0 && !p.b.cut && !p.a.cut {
		p.sort = silent
	}
}

// masked reports whether the file says that a place never counts.
func (l *Learner) masked(where string) bool {
	return slices.ContainsFunc(l.options.Masks, func(mask string) bool { return covers(mask, where) })
}

// covers compares pointers, token by token; * in the mask is any.
func covers(mask, where string) bool {
	for {
		m, restMask, moreMask := strings.Cut(mask, "/")
		w, rest, more := strings.Cut(where, "/")
		if m != w && m != "*" || moreMask != more {
			return false
		}
		if !more {
			return true
		}
		mask, where = restMask, rest
	}
}
