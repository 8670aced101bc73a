package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// failure is a judgement on its way to the text of a failed test.
type failure struct {
	h          history.History
	report     Report
	rules      []Rule
	violations []Violation // of all cases, the one to read first
	operations int
	detail     string // what is shown in the place of an operation's timeline
}

func newFailure(h history.History, r Report, rules []Rule) *failure {
	f := &failure{h: h, report: r, rules: rules}
	var open []Violation
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			if v.Verdict == Fail {
				f.violations = append(f.violations, v)
			} else {
				open = append(open, v)
			}
		}
	}
	f.violations = append(f.violations, open...)
	struck := map[string]bool{}
	for op := range h.Operations() {
		if op.Case != history.CaseCalibration {
			f.operations++
		}
		if len(op.Faults) > 0 {
			struck[op.ID] = true
		}
	}
	f.explained()
	f.plainest(struck)
	return f
}

// explained gives a violation that shows no cause the one of another violation by
// the same operation.
func (f *failure) explained() {
	why := map[string]Violation{}
	for _, v := range f.violations {
		if _, known := why[v.Op]; !known && v.Verdict == Fail && v.Cause != "" {
			why[v.Op] = v
		}
	}
	for i := range f.violations {
		if v := &f.violations[i]; v.Verdict == Fail && v.Op != "" && v.Cause == "" {
			if w, ok := why[v.Op]; ok {
				v.Cause, v.Cure = w.Cause, w.Cure
			}
		}
	}
}

// plainest puts a violation without a fault before those of the same rule with
// one: what goes wrong by itself is not explained by a fault.
func (f *failure) plainest(struck map[string]bool) {
	vs := f.violations
	i := slices.IndexFunc(vs, func(v Violation) bool {
		return v.Verdict == Fail && v.Rule == vs[0].Rule && v.Op != "" && !struck[v.Op]
	})
	if i > 0 {
		v := vs[i]
		copy(vs[1:i+1], vs[:i])
		vs[0] = v
	}
}

// first is the sentence of the worst violation, and how much there was to judge.
func (f *failure) first() string {
	fails := len(f.violations) > 0 && f.violations[0].Verdict == Fail
	if !fails && (len(f.report.Problems) > 0 || len(f.violations) == 0) {
		return "inconclusive: " + f.problem()
	}
	v := f.violations[0]
	if !fails {
		return fmt.Sprintf("inconclusive: %s (%s)", sentence(v.Reason), f.size())
	}
	failed := map[string]bool{}
	for _, v := range f.violations {
		if v.Verdict == Fail {
			failed[v.Rule] = true
		}
	}
	return fmt.Sprintf("%s: %s (%d of %s failed; %s)", v.Rule, sentence(v.Reason), len(failed), counted(f.judged(), "rule"), f.size())
}

// problem is why nothing was judged at all.
func (f *failure) problem() string {
	switch {
	case len(f.h.Events) == 0:
		return "the history is empty: nothing was recorded. Take it from the run, after the last call"
	case len(f.report.Problems) > 0:
		return sentence(f.report.Problems[0]) + inProcessEnd(f)
	}
	return "nothing was judged"
}

// inProcessEnd says how a history in a Go test comes to its end.
func inProcessEnd(f *failure) string {
	if f.ended() || !hooked(&f.h.Header) {
		return ""
	}
	return ". Take it from the run, after the last call"
}

func (f *failure) ended() bool {
	return slices.ContainsFunc(f.h.Events, func(e history.Event) bool { return e.Kind == history.Mark && e.Name == history.MarkEnd })
}

// size is how much there was to judge.
func (f *failure) size() string {
	return fmt.Sprintf("%s on %s", counted(f.report.Faults, "fault"), counted(f.operations, "operation"))
}

// judged is the number of rules: exactly-once is two.
func (f *failure) judged() int {
	n := 0
	for _, r := range f.rules {
		n++
		if r.Name == ExactlyOnce.Name {
			n++
		}
	}
	if n == 0 {
		return len(Catalogue) - 1
	}
	return n
}

// sentence is a reason without its stop, and shorter where it says what was allowed.
func sentence(reason string) string {
	reason = strings.TrimSuffix(strings.TrimSpace(reason), ".")
	for _, were := range []string{" was allowed", " were allowed"} {
		if begin, ok := strings.CutSuffix(reason, were); ok {
			if what, n, ok := cutLast(begin, ". "); ok {
				return what + ", " + n + " allowed"
			}
		}
	}
	return reason
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rest is what happened to the operation, why, and what else is wrong.
func (f *failure) rest() string {
	var b strings.Builder
	if len(f.violations) > 0 {
		v := &f.violations[0]
		if v.Verdict == Fail || len(f.report.Problems) == 0 {
			f.timeline(&b, v)
		}
		for i, d := range v.Differences {
			if i == mostShown {
				break
			}
			line(&b, "differs at %s: %s, then %s", d.Where, orNothing(d.First), orNothing(d.Again))
		}
		labelled(&b, "likely cause", v.Cause)
		if v.Verdict == Fail {
			labelled(&b, "usual cure", v.Cure)
		} else {
			labelled(&b, "what helps", v.Cure)
		}
		f.others(&b)
	}
	for i, p := range f.report.Problems {
		if i > 0 || f.violations != nil && f.violations[0].Verdict == Fail {
			line(&b, "besides: %s", sentence(p))
		}
	}
	return b.String()
}

func line(b *strings.Builder, format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func labelled(b *strings.Builder, what, text string) {
	if text != "" {
		line(b, "%s: %s", what, text)
	}
}

// timeline draws the operation of a violation.
func (f *failure) timeline(b *strings.Builder, v *Violation) {
	if f.detail != "" {
		b.WriteString(f.detail)
		return
	}
	if v.Op == "" {
		return
	}
	for op := range f.h.Operations() {
		if op.ID == v.Op && op.Scope == v.Scope {
			_ = history.Timeline(b, op, v.Witnesses) // a Builder takes everything
			return
		}
	}
}

const mostShown = 8 // operations in a line, further reasons

// others are the further violations: operations with the same pattern in one
// line, each other rule or reason in one of its own.
func (f *failure) others(b *strings.Builder) {
	worst := f.violations[0]
	var same, more []string
	seen := map[string]bool{pattern(worst): true}
	for _, v := range f.violations[1:] {
		switch p := pattern(v); {
		case p == pattern(worst) && v.Op != worst.Op:
			same = append(same, v.Op)
		case !seen[p]:
			seen[p] = true
			more = append(more, brief(v))
		}
	}
	if len(same) > 0 {
		line(b, "also: %s (same pattern)", some(same, ", "))
	}
	if len(more) > 0 {
		line(b, "also %s", some(more, "\nalso "))
	}
}

// pattern is what violations share that have one mistake behind them.
func pattern(v Violation) string {
	if v.Verdict == Fail {
		return v.Rule + "\x00" + v.Cause
	}
	return v.Reason
}

// brief is a violation in one line.
func brief(v Violation) string {
	if v.Verdict == Fail {
		return v.Rule + ": " + sentence(v.Reason)
	}
	text := "inconclusive: " + sentence(v.Reason)
	if v.Cure != "" {
		text += ": " + v.Cure
	}
	return text
}

func some(list []string, sep string) string {
	if n := len(list) - mostShown; n > 0 {
		list = append(slices.Clone(list[:mostShown]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, sep)
}
