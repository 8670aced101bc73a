package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

const (
	fullCases  = 6 // failing cases shown in full; the others get a line each
	fullOps    = 3 // operations of a case shown in full
	namedOps   = 6 // others that are named
	fullSame   = 3 // reasons shown of one operation
	otherLines = 1 // other operations whose events are witnesses
)

// Failures writes the cases of a run that failed as Text does, and nothing else.
func Failures(w io.Writer, r Run) error {
	p := newPage(r)
	p.failures()
	_, err := w.Write(bytes.TrimLeft(p.Bytes(), "\n"))
	return err
}

// failures prints the cases that failed.
func (p *page) failures() {
	full, brief := p.failing(fullCases)
	brief = p.untold(brief)
	for _, c := range full {
		p.gap()
		p.failure(c)
	}
	if len(brief) == 0 {
		return
	}
	p.gap()
	for _, c := range brief {
		p.short(c)
	}
	if p.Dir != "" {
		p.say("  ", "    ", "run one of these again: "+p.again(brief[0].Name))
	}
}

// failing are the cases that failed: the first of each kind, at most so many,
// and the others.
func (r Run) failing(most int) (full, others []checkers.Case) {
	shown := map[string]bool{}
	for _, c := range r.Report.Cases {
		switch {
		case r.state(c) != failing:
		case shown[r.kind(c)] || len(full) == most:
			others = append(others, c)
		default:
			shown[r.kind(c)] = true
			full = append(full, c)
		}
	}
	return full, others
}

// kind is what failed cases have in common that look alike: the rules that they
// broke and the likely cause, without one the scenario, or of windows of a map
// the reason.
func (r Run) kind(c checkers.Case) string {
	scenario, _, _ := parts(c)
	_, _, inMap := r.window(c.Name)
	if inMap {
		scenario = r.shape(firstReason(c))
	}
	for _, v := range failed(c) {
		if v.Cause != "" {
			scenario = v.Cause
			if inMap {
				scenario, _, _ = strings.Cut(v.Cause, " (") // the keys of one window
			}
			break
		}
	}
	return rules(c) + "\n" + scenario
}

// title is the first line of a failed case: its name and the rules it broke.
func (r Run) title(c checkers.Case) string { return "FAIL " + r.label(c) + " · " + clean(rules(c)) }

// rules are the rules that a case broke.
func rules(c checkers.Case) string {
	var names []string
	for _, v := range failed(c) {
		names = add(names, v.Rule)
	}
	return strings.Join(names, ", ")
}

// short prints a failed case on one line.
func (p *page) short(c checkers.Case) {
	line := p.title(c)
	if all := failed(c); len(all) > 0 {
		line += ": " + clean(all[0].Reason)
	}
	p.print(checkers.Fail, "FAIL", fit(line, columns))
}

// failure prints a failed case in full.
func (p *page) failure(c checkers.Case) {
	p.print(checkers.Fail, "FAIL", fit(p.title(c), columns))
	all := byOperation(failed(c))
	said := map[string]bool{} // a cause or cure is said once
	full, others := pick(all)
	for _, vs := range full {
		p.operation(vs, said)
	}
	p.others(others)
	for _, line := range p.expired(c) {
		p.say("  ", "  ", line)
	}
	for _, line := range p.unclear(c) {
		p.say("  not judged: ", "    ", line)
	}
	if line := p.again(c.Name); line != "" {
		p.print("", "", "  run again: "+clean(line))
	}
}

// unclear are what could not be judged of a case, a line each.
func (r Run) unclear(c checkers.Case) (lines []string) {
	for _, v := range with(c, checkers.Inconclusive) {
		lines = add(lines, v.Rule+": "+v.Reason)
	}
	return r.once(lines)
}

// pick chooses the operations shown in full: each shows a rule that the ones
// before it did not break. The others broke the same rules in the same case.
func pick(all [][]checkers.Violation) (full, others [][]checkers.Violation) {
	shown := map[string]bool{}
	for _, vs := range all {
		fresh := slices.ContainsFunc(vs, func(v checkers.Violation) bool { return !shown[v.Rule] })
		if !fresh || len(full) == fullOps {
			others = append(others, vs)
			continue
		}
		full = append(full, vs)
		for _, v := range vs {
			shown[v.Rule] = true
		}
	}
	return full, others
}

// operation prints all that one operation did wrong.
func (p *page) operation(vs []checkers.Violation, said map[string]bool) {
	var witnesses []int64
	for i, v := range vs {
		witnesses = append(witnesses, v.Witnesses...)
		if i < fullSame {
			p.say("  ", "  ", v.Reason)
			p.differences(v.Differences)
		}
	}
	if more := len(vs) - fullSame; more > 0 {
		p.say("  ", "  ", fmt.Sprintf("and %d more of this operation.", more))
	}
	p.timelines(vs[0], witnesses)
	for _, v := range vs {
		for _, s := range [][2]string{{"  Likely cause: ", v.Cause}, {"  Usual cure: ", v.Cure}} {
			if s[1] != "" && !said[s[1]] {
				said[s[1]] = true
				p.say(s[0], "    ", s[1])
			}
		}
	}
}

// others names the operations that are not shown.
func (p *page) others(others [][]checkers.Violation) {
	if len(others) == 0 {
		return
	}
	var ids []string
	for _, vs := range others {
		ids = append(ids, fit(clean(opName(vs[0])), longestName))
	}
	line := strings.Join(ids[:min(namedOps, len(ids))], ", ")
	if more := len(ids) - namedOps; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	p.say("  also: ", "    ", line)
}

// timelines prints the events of the operation, and of another one whose
// events are witnesses too.
func (p *page) timelines(v checkers.Violation, witnesses []int64) {
	own := [2]string{v.Op, v.Scope}
	if op, ok := p.operations.byName[own]; ok {
		p.timeline(op, witnesses)
	}
	shown := 0
	for _, seq := range witnesses {
		other, ok := p.operations.byEvent[seq]
		if !ok || other == own || shown == otherLines {
			continue
		}
		shown++
		p.say("  ", "  ", "and "+other[0]+":")
		p.timeline(p.operations.byName[other], witnesses)
	}
}

// timeline prints the events of one operation.
func (p *page) timeline(op history.Operation, witnesses []int64) {
	var b bytes.Buffer
	if err := history.Timeline(&b, op, witnesses); err != nil {
		p.say("    ", "    ", "no timeline: "+err.Error())
		return
	}
	for line := range strings.Lines(b.String()) {
		p.print("", "", "    "+fit(clean(strings.TrimRight(line, "\n")), columns-4))
	}
}

// failed are the violations that failed the case.
func failed(c checkers.Case) []checkers.Violation { return with(c, checkers.Fail) }

// with are the violations of a case that have one verdict.
func with(c checkers.Case, v checkers.Verdict) []checkers.Violation {
	other := func(w checkers.Violation) bool { return w.Verdict != v }
	return slices.DeleteFunc(slices.Clone(c.Violations), other)
}

// byOperation groups violations, in their order.
func byOperation(vs []checkers.Violation) [][]checkers.Violation {
	var groups [][]checkers.Violation
	place := map[[2]string]int{}
	for _, v := range vs {
		op := [2]string{v.Op, v.Scope}
		i, ok := place[op]
		if !ok {
			i = len(groups)
			place[op] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// opName names the operation of a violation.
func opName(v checkers.Violation) string {
	switch {
	case v.Op == "":
		return v.Rule
	case v.Scope != "":
		return v.Op + " of " + v.Scope
	}
	return v.Op
}
