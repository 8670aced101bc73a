package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// role is a Role taken apart: operation letter, version, scope, variant.
type role struct {
	op      string
	version int // of the entity that the letter stands for, from 1; 0: as it is
	scope   string
	variant string
}

var roleForm = regexp.MustCompile(`^([a-z])(?:#([1-9]))?(?:@([A-Za-z0-9_.-]+))?(?:/(.+))?$`)

func parseRole(s string) (role, error) {
	m := roleForm.FindStringSubmatch(s)
	if m == nil {
		return role{}, fmt.Errorf("role %q: want a letter, then #VERSION, @SCOPE and /VARIANT if needed, as in a, a#2, a@2, a/changed", s)
	}
	version, _ := strconv.Atoi(m[2])
	return role{m[1], version, m[3], m[4]}, nil
}

// who is the operation a role stands for: its letter, version and scope.
func (r role) who() string {
	var b strings.Builder
	b.WriteString(r.op)
	if r.version > 0 {
		fmt.Fprintf(&b, "#%d", r.version)
	}
	if r.scope != "" {
		b.WriteString("@" + r.scope)
	}
	return b.String()
}

// Self is what the operation of a role is, where it is not simply a fresh one
// of the operation under test. It holds for all steps of the role's letter.
type Self struct {
	Value     string // the form of its first fair field: zero, one, largest, empty-text, empty-list, long-text
	Operation string // "other": another configured operation; "other-method": one with the same path and another method
	Key, ID   Alike  // where they are not its own
}

// Alike is a key or id that is not simply the operation's own. Of alone: the
// same as that role's. How alone: the first of a pair that look alike, made
// from one's own. Both: the second of the pair made from that role's.
type Alike struct{ Of, How string }

// with is s and what o says; ok is false if they say different things.
func (s Self) with(o Self) (both Self, ok bool) {
	ok = join(&s.Value, o.Value)
	ok = join(&s.Operation, o.Operation) && ok
	ok = join(&s.Key, o.Key) && ok
	return s, join(&s.ID, o.ID) && ok
}

// join sets to to v if it is not set to anything else.
func join[T comparable](to *T, v T) bool {
	var zero T
	if *to == zero {
		*to = v
	}
	return v == zero || *to == v
}
