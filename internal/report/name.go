package report

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// rulePrefix begins the name of a case that is one user rule.
const rulePrefix = "rule/"

// PlanFile is the name of the file, in the run's directory, that holds the plan
// of a failed case: "lost-answer-charge.yaml" for "lost-answer/charge". Where
// several cases would have the same, the later ones get a number.
func (r Run) PlanFile(name string) string {
	plain, n := safeName(name), 1
	for _, c := range r.Report.Cases {
		if c.Name == name {
			break
		}
		if strings.EqualFold(safeName(c.Name), plain) { // some file systems fold case
			n++
		}
	}
	if n > 1 {
		plain = fmt.Sprintf("%s-%d", plain, n)
	}
	return plain + ".yaml"
}

func safeName(name string) string {
	safe := func(r rune) rune {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if letter || strings.ContainsRune("._-=", r) {
			return r
		}
		return '-'
	}
	return strings.Map(safe, name)
}

// parts are what the name of a case consists of: "late-repeat/charge/offset=0.5"
// is the scenario late-repeat on the operation charge with the swept value
// offset=0.5. A user rule has no operation.
func parts(c checkers.Case) (scenario, operation, swept string) {
	if c.Operation == "" || strings.HasPrefix(c.Name, rulePrefix) {
		return c.Name, "", ""
	}
	_, swept, _ = strings.Cut(c.Name, "/"+c.Operation+"/")
	return c.Scenario, c.Operation, swept
}

// place is a case in two words: "late-repeat offset=0.5", "charge".
func place(c checkers.Case) (row, operation string) {
	row, operation, swept := parts(c)
	if swept != "" {
		row += " " + swept
	}
	return row, operation
}

// again is the command line that runs a failed case again, "" if none does.
func (r Run) again(name string) string {
	if m, w, ok := r.window(name); ok {
		return chart{Map: m, run: r}.again(w)
	}
	if r.Dir == "" || strings.HasPrefix(name, rulePrefix) {
		return ""
	}
	return "idemcheck run " + quote(path.Join(filepath.ToSlash(r.Dir), r.PlanFile(name)))
}

// quote makes a path one word for a shell.
func quote(s string) string {
	if !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
