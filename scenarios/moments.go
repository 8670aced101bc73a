package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// Words for a moment of an operation, whatever its tables and points are called.
const (
	momentEffect = "effect" // what makes the effect: the last call of a provider, else what makes the last insert stay
	momentMark   = "mark"   // the first write that stays, where another follows
	momentWrite  = "write"  // the last insert, else the last other write
	momentCommit = "commit" // the last write that stays
	momentCall   = "call"   // the last call over HTTP that is more than a question
)

// stayed is the write that makes the last insert stay.
const stayed = "stayed"

var momentWords = []string{momentEffect, momentMark, momentWrite, momentCommit, momentCall}

// learned is a moment that an operation showed in each of its calibrating attempts.
type learned struct {
	name    string // "db COMMIT"
	nth     int    // which of that name, from 1
	link    string // "" for a point of code
	durable bool   // what was written stays
}

// stays says whether the moment is a write to a store that stays.
func (m learned) stays() bool { return m.link != "" && m.durable && !httpStep.MatchString(m.name) }

// learn keeps the moments of an operation that both calibrating attempts made.
func (r *runner) learn(operation, first, second string) {
	again := map[string]bool{}
	for _, m := range r.momentsOf(second) {
		again[m.String()] = true
	}
	all := r.momentsOf(first)
	r.learned[operation] = slices.DeleteFunc(all, func(m learned) bool { return !again[m.String()] })
}

// String is the name of the moment in the history: "db COMMIT", "db COMMIT #2".
func (m learned) String() string {
	if m.nth > 1 {
		return fmt.Sprintf("%s #%d", m.name, m.nth)
	}
	return m.name
}

// momentsOf are the moments of a calibrating operation, in order.
func (r *runner) momentsOf(id string) (all []learned) {
	for _, e := range r.rec.History().Events {
		p, ok := e.Passage()
		if !ok || e.Case != history.CaseCalibration || e.Op != id {
			continue
		}
		m := learned{link: strings.TrimPrefix(e.Actor, "link/")}
		if e.Actor == "point" {
			m.link = ""
		}
		m.name, m.nth = momentName(e.Name)
		i := slices.IndexFunc(all, func(o learned) bool { return o.String() == m.String() })
		if i < 0 {
			all, i = append(all, m), len(all)
		}
		if p.Durable {
			all[i].durable = true
		}
	}
	return all
}

// spot is where a strike strikes.
type spot struct {
	learned
	phase wire.Phase
}

// placeOf is the moment that a word means, on one side of it; ok is false if the
// operation showed none.
func placeOf(ms []learned, word string, side wire.Phase, points bool) (at spot, ok bool) {
	words := []string{word}
	if word == momentEffect {
		words = []string{momentEffect, momentCall, stayed, momentCommit}
	}
	for _, w := range words {
		if points {
			if i := pointOf(ms, w, side); i >= 0 {
				return spot{ms[i], wire.Before}, true
			}
		}
		if i := stepOf(ms, w); i >= 0 {
			return spot{ms[i], side}, true
		}
	}
	return spot{}, false
}

// pointOf is the place of a point of code that is called after a side of a moment.
func pointOf(ms []learned, word string, side wire.Phase) int {
	names := []string{word}
	switch word {
	case momentCall:
		names = append(names, "provider")
	case momentMark:
		names = append(names, "claim")
	}
	lead := "before-"
	if side == wire.After {
		lead = "after-"
	}
	return last(ms, func(m learned) bool {
		return m.link == "" && strings.HasPrefix(m.name, lead) && slices.Contains(names, m.name[len(lead):])
	})
}

var (
	httpCall   = regexp.MustCompile(`^\S+ (POST|PUT|PATCH|DELETE) /`)
	httpStep   = regexp.MustCompile(`^\S+ [A-Z]+ /`)
	insertStep = regexp.MustCompile(`^\S+ (\S.*\+)?INSERT\b`)
	writeStep  = regexp.MustCompile(`^\S+ (\S.*\+)?(INSERT|UPDATE|DELETE|MERGE|REPLACE)\b`)
)

// stepOf is the place of the step on a link that a word means; -1 if there is none.
func stepOf(ms []learned, word string) int {
	named := func(form *regexp.Regexp) func(learned) bool {
		return func(m learned) bool { return m.link != "" && form.MatchString(m.name) }
	}
	switch word {
	case momentCall:
		return last(ms, named(httpCall))
	case momentCommit:
		return last(ms, learned.stays)
	case momentMark:
		if i := slices.IndexFunc(ms, learned.stays); i < last(ms, learned.stays) {
			return i
		}
	case momentWrite:
		if i := last(ms, named(insertStep)); i >= 0 {
			return i
		}
		return last(ms, named(writeStep))
	case stayed:
		from := last(ms, named(insertStep))
		if i := slices.IndexFunc(ms[max(from, 0):], learned.stays); from >= 0 && i >= 0 {
			return from + i
		}
	}
	return -1
}

func last(ms []learned, is func(learned) bool) int {
	for i := len(ms) - 1; i >= 0; i-- {
		if is(ms[i]) {
			return i
		}
	}
	return -1
}
