package checkers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// telling finds the pointers whose values name the operation: they differ
// between the answers to a and b, do not occur in the requests, look like
// identities, and stay when b is repeated. Those that change in the repeat
// while another stays are volatile.
//
// An answer may hold more that differs and stays: a time, an amount, the name
// of the replica. Taking one of them for an identity would raise false alarms,
// so only what is made like an identity counts.
//
// Where nothing stays, a place that is named as the operation's own identity is
// moving: a repeat that shows another one there is suspect.
func telling(a, b, again history.Attempt) (tell, volatile, moving []string) {
	if a.Outcome() != history.OK || b.Outcome() != history.OK {
		return nil, nil, nil
	}
	first := map[string]string{}
	for _, s := range scalars(a.End.Body) {
		first[s.pointer] = s.value
	}
	asked := requested(a)
	for v := range requested(b) {
		asked[v] = true
	}
	var repeat map[string]string
	if again.End != nil {
		repeat = map[string]string{}
		for _, s := range scalars(again.End.Body) {
			repeat[s.pointer] = s.value
		}
	}
	for _, s := range scalars(b.End.Body) {
		v, ok := first[s.pointer]
		if !ok || v == s.value || asked[v] || asked[s.value] {
			continue
		}
		switch {
		case stays(s, again, repeat):
			if likeIdentity(s.pointer, v, s.str) && likeIdentity(s.pointer, s.value, s.str) {
				tell = append(tell, s.pointer)
			}
		case again.Outcome() == history.OK:
			volatile = append(volatile, s.pointer)
			if ownName.MatchString(s.pointer) && likeIdentity(s.pointer, s.value, s.str) {
				moving = append(moving, s.pointer)
			}
		}
	}
	if len(tell) == 0 {
		return nil, nil, moving
	}
	return tell, volatile, nil
}

// stays reports whether a repeat shows the value again: at the same place, or,
// where it is a conflict that points at the resource, anywhere.
func stays(s scalar, again history.Attempt, repeat map[string]string) bool {
	switch again.Outcome() {
	case history.OK:
		return repeat[s.pointer] == s.value
	case history.Refused:
		return names(again.End, s.value)
	}
	return false
}

// names reports whether an answer holds the value, in its body or Location.
func names(end *history.Event, value string) bool {
	if value == "" {
		return false
	}
	if slices.Contains(strings.FieldsFunc(end.Attrs[history.AttrHeader+"location"], func(r rune) bool {
		return strings.ContainsRune("/?&=#", r)
	}), value) {
		return true
	}
	found := false
	walk(end.Body, func(_ []byte, v string, _ bool) bool {
		found = found || v == value
		return !found
	})
	return found
}

// requested is all that the caller sent.
func requested(a history.Attempt) map[string]bool {
	sent := map[string]bool{a.Begin.Op: true, a.Begin.Key: true}
	walk(a.Begin.Body, func(_ []byte, v string, _ bool) bool {
		sent[v] = true
		return true
	})
	for _, part := range strings.FieldsFunc(a.Begin.Attrs[history.AttrRequest], func(r rune) bool {
		return strings.ContainsRune(" /?&=", r)
	}) {
		sent[part] = true
	}
	return sent
}

var (
	moment  = regexp.MustCompile(`^\d{4}-\d\d-\d\d|^\d\d:\d\d|^\d{8}T\d`)
	idName  = regexp.MustCompile(`(?i:^id|[_-]id|^uuid|^ref|reference|number|^no)$|(?:[a-z])(?:Id|ID|No|Ref)$|(?i:[_-](?:no|ref))$`)
	ownName = regexp.MustCompile(`/(?i:id|uuid|number|reference)$`)
	letters = regexp.MustCompile(`[A-Za-z]`)
	digits  = regexp.MustCompile(`[0-9]`)
	dense   = regexp.MustCompile(`^[A-Za-z0-9_.:<>-]+$`)
)

// likeIdentity reports whether a value is made like an identity: letters and digits
// in one word and no time, or anything at a place that is named as one.
func likeIdentity(pointer, v string, str bool) bool {
	if v == "" || v == "true" || v == "false" || v == "null" || moment.MatchString(v) {
		return false
	}
	if idName.MatchString(pointer[strings.LastIndexByte(pointer, '/')+1:]) {
		return str || !strings.ContainsAny(v, ".eE")
	}
	return str && dense.MatchString(v) && letters.MatchString(v) && digits.MatchString(v)
}
