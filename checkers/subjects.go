package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// subjects are what a rule needs in a case to have anything to judge. A rule
// that is not here judges every operation.
var subjects = map[string]struct {
	what string
	in   func(*Group) bool
}{
	RefusedNoEffect.Name: {"an operation that was refused at every attempt", (*Group).someRefused},
	SameAnswer.Name:      {"a repeat of what was accepted", (*Group).someRepeat},
	ChangedPayloadRefused.Name: {"a changed payload under a used key, and contract.mismatch", func(g *Group) bool {
		return g.Contract.Mismatch.Judged() && g.someAttempt(func(a *history.Attempt) bool { return variant(*a) != "" })
	}},
	OverlapAnswer.Name: {"overlapping copies, and contract.in_flight", func(g *Group) bool {
		return g.Contract.InFlight.Judged() && g.someDigest(func(d *digest) bool { return !d.serial })
	}},
	Separation.Name: {"a second operation", nil}, // see noSubject
	NoStepBack.Name: {"two versions of an entity", (*Group).someVersion},
	OrderKept.Name:  {"two versions of an entity", (*Group).someVersion},
	Progress.Name:   {"an operation that was tried twice", func(g *Group) bool { return g.someDigest(func(d *digest) bool { return d.all > 1 }) }},
	BadKeyRefused.Name: {"an attempt with a bad key, and contract.missing or contract.syntax", func(g *Group) bool {
		return (g.Contract.Missing.Judged() || g.Contract.Syntax.Judged()) && g.someAttempt(func(a *history.Attempt) bool { return badKey(a) != "" })
	}},
	AfterLife.Name: {"a repeat after the key's life, and contract.life and contract.after_life", func(g *Group) bool {
		return g.Contract.AfterLife.Judged() && g.Contract.Life > 0 && g.someDigest(func(d *digest) bool { return d.outlives(g.Contract.Life) })
	}},
	StoredOutcome.Name: {"a failure that was provoked and tried again, and contract.stored or contract.replay_5xx", func(g *Group) bool {
		return judged(&g.Contract.Stored, &g.Contract.Replay5xx) && g.someDigest(func(d *digest) bool { return d.all > 1 }) &&
			g.someAttempt(func(a *history.Attempt) bool { return failed(a) != "" })
	}},
	ErrorFormat.Name: {"a refusal for the key's sake, and contract.errors", func(g *Group) bool {
		return g.Contract.Errors.Judged() && g.someAttempt(func(a *history.Attempt) bool { return a.Outcome() == history.Refused })
	}},
}

func judged(fs ...*contract.Field) bool {
	return slices.ContainsFunc(fs, func(f *contract.Field) bool { return f.Judged() })
}

// noSubject says why a case whose rules had nothing to judge cannot pass; "" if one had.
func noSubject(rules []Rule, groups []Group) string {
	var whats []string
	for _, r := range rules {
		s, ok := subjects[r.Name]
		switch {
		case !ok:
			return ""
		case r.Name == Separation.Name && (len(groups) > 1 || len(groups[0].Operations) > 1):
			return ""
		case s.in != nil && slices.ContainsFunc(groups, func(g Group) bool { return s.in(&g) }):
			return ""
		}
		whats = append(whats, fmt.Sprintf("%s needs %s", r.Name, s.what))
	}
	return "Nothing was judged: " + strings.Join(whats, "; ") + "."
}

func (g *Group) someAttempt(is func(*history.Attempt) bool) bool {
	for i := range g.Operations {
		if slices.ContainsFunc(g.Operations[i].Attempts, func(a history.Attempt) bool { return is(&a) }) {
			return true
		}
	}
	return false
}

func (g *Group) someDigest(is func(*digest) bool) bool {
	for i := range g.Operations {
		if is(g.digest(i)) {
			return true
		}
	}
	return false
}

func (g *Group) someVersion() bool {
	return g.someAttempt(func(a *history.Attempt) bool { return a.Begin.Attrs[history.AttrVersion] != "" })
}

// someRepeat reports whether something that was accepted was sent again.
func (g *Group) someRepeat() bool {
	some := false
	for i := range g.Operations {
		repeats(g.Contract, &g.Operations[i], func(r *repeat) { some = some || r.like != changed })
	}
	return some
}
