package checkers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

const malformKey = "malform-key"

// badKeyRefused: an attempt without its key, or with one that is not well made,
// is answered as contract.missing and contract.syntax say. Where they say that
// it is refused, an attempt that was carried out had no protection.
func badKeyRefused(g Group) (vs []Violation) {
	for i := range g.Operations {
		if !g.digest(i).entry.badKeys {
			continue
		}
		op := &g.Operations[i]
		for j := range op.Attempts {
			a := &op.Attempts[j]
			if how := badKey(a); how != "" {
				if v := g.badKey(op, a, how); v.Verdict != "" {
					vs = append(vs, v)
				}
			}
		}
	}
	return vs
}

// badKey says what is wrong with the key of an attempt: missing, or as
// malform-key made it; "" if nothing is.
func badKey(a *history.Attempt) string {
	attrs := a.Begin.Attrs
	switch {
	case attrs[history.AttrFault] == malformKey && attrs[history.AttrArg] != "":
		return attrs[history.AttrArg]
	case attrs[history.AttrFault] == malformKey:
		return "malformed"
	case attrs[history.AttrKeyless] == "dropped":
		return "missing"
	}
	return ""
}

// wanted is what a contract says of a bad key.
type wanted struct {
	run, refuse bool     // it may be carried out; it may be refused
	statuses    []string // the refusals that are right; empty: any
	says        string   // in the contract's words
}

// wants is what the contract says of a key with this fault; ok is false where
// it says nothing that is judged.
func wants(c *contract.Contract, a *history.Attempt, how string) (w wanted, ok bool) {
	missing, syntax := c.Missing.Judged(), c.Syntax.Judged()
	switch {
	case how == "missing" && missing:
		return wantedBy(c.Missing), true
	case how == "blank":
		// A header of blanks arrives empty, as the form "empty" does; in a body they are a text like any other.
		return wanted{run: true, refuse: true, says: "a bad key is the caller's error"}, missing || syntax
	case how == "empty" && missing:
		// A header without a value may be taken for no key at all, or for a bad one.
		w = wantedBy(c.Missing)
		w.refuse, w.statuses = true, nil
		return w, true
	case how != "missing" && how != "empty" && syntax:
		w = wanted{run: !breaks(c.Syntax, a.Begin.Key, how), refuse: true, says: "syntax " + strings.Join(c.Syntax.Values, ", ")}
		if !w.run {
			w.statuses = statusesOf(c.Syntax)
		}
		return w, true
	}
	// Any answer will do, but for a failure.
	return wanted{run: true, refuse: true, says: "a bad key is the caller's error"}, missing || syntax
}

func wantedBy(f contract.Field) wanted {
	w := wanted{run: f.Has("run"), says: "missing " + strings.Join(f.Values, " or ")}
	w.statuses = statusesOf(f)
	w.refuse = f.Has("reject") || len(w.statuses) > 0
	if f.Has("reject") {
		w.statuses = nil
	}
	return w
}

func statusesOf(f contract.Field) (ss []string) {
	for _, v := range f.Values {
		if _, err := strconv.Atoi(v); err == nil {
			ss = append(ss, v)
		}
	}
	return ss
}

var uuid = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// breaks reports whether a key that was malformed in this way is certainly not
// one that the syntax allows. key is "" where the history does not hold it.
func breaks(syntax contract.Field, key, how string) bool {
	most, limited := bound(syntax, "max=")
	switch {
	case how == "over-long":
		return limited && (key == "" || len(key) > most)
	case how == "doubled":
		return false // two lines of one header are joined by some, and the first is taken by others
	case syntax.Has("uuid"):
		return !uuid.MatchString(key)
	}
	return how == "malformed" && syntax.Has("quoted") && !syntax.Has("bare")
}

// bound is the N of max=N or min=N.
func bound(syntax contract.Field, name string) (n int, ok bool) {
	for _, v := range syntax.Values {
		if text, found := strings.CutPrefix(v, name); found {
			n, err := strconv.Atoi(text)
			return n, err == nil
		}
	}
	return 0, false
}

func (g *Group) badKey(op *history.Operation, a *history.Attempt, how string) Violation {
	s := status(*a)
	key := "a key that is " + how
	if how == "missing" {
		key = "no key"
	}
	what := fmt.Sprintf("%s was sent with %s and answered %s", called(op), key, s)
	w, ok := wants(g.Contract, a, how)
	verdict := badKeyVerdict(w, a, s)
	switch {
	case !ok:
		return oneAttempt("bad-key-refused", Note, op, a, what+". The contract does not say what becomes of it: not judged.")
	case verdict == Inconclusive:
		return oneAttempt("bad-key-refused", verdict, op, a, what+": not judged.")
	case verdict == Pass:
		return Violation{}
	}
	v := oneAttempt("bad-key-refused", Fail, op, a, what+". The contract says: "+w.says+".")
	if a.Outcome() == history.OK {
		v.Cause = "the key is not checked before the work: without it a repeat is carried out again."
		v.Cure = "refuse a request whose key is missing or not well made, before anything is done."
	}
	return v
}

func badKeyVerdict(w wanted, a *history.Attempt, s string) Verdict {
	switch a.Outcome() {
	case history.OK:
		if w.run {
			return Pass
		}
		return Fail
	case history.Refused:
		switch {
		case s == "429" || s == "unreachable":
			return Inconclusive
		case w.refuse && (len(w.statuses) == 0 || slices.Contains(w.statuses, s)):
			return Pass
		}
		return Fail
	}
	if len(s) == 3 && s[0] == '5' && s != "503" {
		return Fail // an error of the caller's is no failure of the service's
	}
	return Inconclusive
}

// oneAttempt is what one attempt of an operation shows.
func oneAttempt(rule string, v Verdict, op *history.Operation, a *history.Attempt, reason string) Violation {
	w := []int64{a.Begin.Seq}
	if a.End != nil {
		w = append(w, a.End.Seq)
	}
	return Violation{Rule: rule, Verdict: v, Op: op.ID, Scope: op.Scope, Reason: reason, Witnesses: w}
}
