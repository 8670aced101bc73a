package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const (
	markdownCases = 10  // failed cases shown in full; GitHub takes 1 MiB of a summary and 65,536 characters of a comment
	markdownBrief = 100 // others that are named
)

// Markdown writes a summary that is good in a comment of a pull request.
func Markdown(w io.Writer, r Run) error {
	p := newPage(r)
	n, h := p.counts(), p.History.Header
	fmt.Fprintf(p, "## %s idemcheck: %s\n\n", marks[p.Verdict()], strings.ToUpper(string(p.Verdict())))
	fmt.Fprintf(p, "%s · %s, %s\n\n", md(p.sums()), plural(n.Attempts, "attempt"), fired(n))
	fmt.Fprintf(p, "Run %s on %s, contract %s, seed %d.\n\n", md(h.Run), md(h.Target), md(p.promise()), h.Seed)
	if wired := p.wired(); wired != "" {
		fmt.Fprintf(p, "With %s.\n\n", md(wired))
	}
	p.mdExplored()
	p.mdMaps()
	p.mdTable()
	p.mdFailures()
	p.mdList("Accepted", gather(p.Report.Cases, func(c checkers.Case) string { return why(p.accepted(c)) }))
	p.mdList("Could not be judged", gather(p.untold(p.Report.Cases), p.unjudged))
	p.mdSkipped()
	p.mdLines("Warnings", p.stale())
	p.mdLines("Problems", p.Report.Problems)
	p.mdLines("Observed, not judged", p.Report.Observed)
	_, err := w.Write(append(bytes.TrimRight(p.Bytes(), "\n"), '\n'))
	return err
}

// marks stand beside the word that says the same.
var marks = map[checkers.Verdict]string{checkers.Pass: "✅", checkers.Fail: "❌", checkers.Inconclusive: "❔"}

// mdTable prints the matrix; user rules are rows of their own.
func (p *page) mdTable() {
	g := newGrid(p.beside())
	var passed []string
	if len(g.rows) > longTable {
		passed = p.shorten(&g)
	}
	if len(g.rows) > 0 {
		fmt.Fprintf(p, "| scenario |%s\n|---|%s\n", cells(g.columns, md), strings.Repeat("---|", len(g.columns)))
	}
	for _, row := range g.rows {
		fmt.Fprintf(p, "| %s |%s\n", md(row), cells(g.columns, func(o string) string { return p.mdWord(g.cells[[2]string{row, o}]) }))
	}
	for _, c := range g.alone {
		fmt.Fprintf(p, "\n%s: %s\n", md(c.Name), p.mdWord([]checkers.Case{c}))
	}
	if len(passed) > 0 {
		p.gap()
		fmt.Fprintf(p, "Passed (%d): %s\n", len(passed), md(strings.Join(passed, ", ")))
	}
	p.gap()
}

func cells[T any](list []T, text func(T) string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(" " + text(s) + " |")
	}
	return b.String()
}

func (p *page) mdWord(cases []checkers.Case) string {
	word, s := p.word(cases)
	switch s {
	case failing:
		return "❌ **" + word + "**"
	case undecided:
		return "❔ " + word
	}
	return word
}

// mdFailures prints the first failed case of each kind with its timeline folded
// away, and names the others.
func (p *page) mdFailures() {
	full, brief := p.failing(markdownCases)
	brief = p.untold(brief)
	for _, c := range full {
		p.gap()
		fmt.Fprintf(p, "### %s\n", md(strings.Replace(p.title(c), "FAIL ", "", 1)))
		p.mdFailure(c)
	}
	if len(brief) == 0 {
		return
	}
	p.gap()
	fmt.Fprintf(p, "### And %d more that failed\n\n", len(brief))
	for _, c := range brief[:min(markdownBrief, len(brief))] {
		fmt.Fprintf(p, "- %s: %s\n", md(strings.Replace(p.title(c), "FAIL ", "", 1)), md(firstReason(c)))
	}
	if more := len(brief) - markdownBrief; more > 0 {
		fmt.Fprintf(p, "- and %d more\n", more)
	}
}

func (p *page) mdFailure(c checkers.Case) {
	full, others := pick(byOperation(failed(c)))
	for _, vs := range full {
		fmt.Fprintf(p, "\n%s\n", md(vs[0].Reason))
		for _, s := range [][2]string{{"Likely cause", vs[0].Cause}, {"Usual cure", vs[0].Cure}} {
			if s[1] != "" {
				fmt.Fprintf(p, "\n**%s:** %s\n", s[0], md(s[1]))
			}
		}
		q := page{Run: p.Run, operations: p.operations}
		q.Color = false
		q.timelines(vs[0], vs[0].Witnesses)
		p.mdFold("What happened", q.String())
	}
	if len(others) > 0 {
		fmt.Fprintf(p, "\nThe same of %s.\n", plural(len(others), "other operation"))
	}
	for _, line := range p.expired(c) {
		fmt.Fprintf(p, "\n%s\n", md(line))
	}
	if line := p.again(c.Name); line != "" {
		p.mdCode("Run again:", line)
	}
}

// mdFold prints text as it is, folded away.
func (p *page) mdFold(summary, text string) {
	if text != "" {
		fmt.Fprintf(p, "\n<details><summary>%s</summary>\n", summary)
		p.mdCode("", strings.TrimRight(text, "\n"))
		fmt.Fprintf(p, "\n</details>\n")
	}
}

// mdCode prints text that is to be copied.
func (p *page) mdCode(lead, text string) {
	if lead != "" {
		fmt.Fprintf(p, "\n%s\n", lead)
	}
	p.mdBlock("text", text)
}

// mdBlock prints text as it is; the fence is longer than any in it.
func (p *page) mdBlock(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(p, "\n%s%s\n%s\n%s\n", fence, language, text, fence)
}

// mdList prints groups of cases by what they share.
func (p *page) mdList(heading string, groups []group) {
	if len(groups) == 0 {
		return
	}
	p.gap()
	fmt.Fprintf(p, "### %s\n", heading)
	for _, g := range groups {
		fmt.Fprintf(p, "\n%s: %s\n", md(names(p.scenarios(g.cases))), md(strings.ReplaceAll(g.text, "\n", " ")))
	}
}

func (p *page) mdLines(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.gap()
	fmt.Fprintf(p, "### %s\n\n", heading)
	for _, line := range lines {
		fmt.Fprintf(p, "- %s\n", md(line))
	}
}

// md makes text one line in which Markdown and HTML see nothing of theirs; @ and #
// would call people and issues.
func md(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch {
		case strings.ContainsRune("\\`*_{}[]()#+!|~$", r):
			b.WriteString("\\" + string(r))
		case strings.ContainsRune("<>&@", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
