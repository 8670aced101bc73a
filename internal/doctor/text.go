package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// JSON writes the report as one object.
func JSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Text writes the report for people: what works, what does not, what to do.
func Text(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "target   %s answers\n", r.Target)
	r.wiring(&b)
	for _, o := range r.Operations {
		o.text(&b)
	}
	r.scenarios(&b)
	list(&b, "PROBLEM", r.Problems)
	list(&b, "advice", r.Advice)
	if r.Healthy {
		b.WriteString("\nEverything that is configured works. Next: idemcheck run\n")
	} else {
		fmt.Fprintf(&b, "\n%s to solve before a run can be trusted.\n", count(len(r.Problems), "problem"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) wiring(b *strings.Builder) {
	for _, w := range r.Workers {
		how := "started and became ready"
		if !w.Alive {
			how += ", and ended while the operations ran"
		}
		fmt.Fprintf(b, "worker   %s %s\n", w.Name, how)
	}
	for _, l := range r.Links {
		what := strings.Join(l.Moments, ", ")
		switch {
		case !l.Passed:
			what = "nothing passed"
		case what == "":
			what = "bytes passed, no steps"
		}
		fmt.Fprintf(b, "link     %s (%s to %s): %s\n", l.Name, l.Protocol, l.To, what)
	}
	if len(r.Points) > 0 {
		fmt.Fprintf(b, "points   %s\n", strings.Join(r.Points, ", "))
	}
}

func (o Operation) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s · %s · key: %s\n", o.Name, o.Request, o.Key)
	if !o.Works {
		fmt.Fprintf(b, "  PROBLEM  answered %s %s\n", o.Status, o.Answer)
		return
	}
	fmt.Fprintf(b, "  ok       %s\n", strings.TrimSuffix(fmt.Sprintf("answered %s in %d ms: %s", o.Status, o.Millis, o.Answer), ": "))
	if o.Repeat != "" {
		fmt.Fprintf(b, "  ok       the same once more was answered %s\n", o.Repeat)
	}
	for _, s := range o.Observers {
		switch {
		case s.Problem != "":
			fmt.Fprintf(b, "  PROBLEM  %s: %s\n", s.Name, s.Problem)
		case s.After > s.Want:
			fmt.Fprintf(b, "  PROBLEM  %s saw %s, and %d after the same was sent once more\n", s.Name, count(s.Effects, "effect"), s.After)
		default:
			fmt.Fprintf(b, "  ok       %s saw %s under the %s %s, %s; still %d after the repeat\n", s.Name, count(s.Effects, "effect"), s.By, s.Subject, soon(s.Millis), s.After)
		}
	}
}

func soon(ms int64) string {
	if ms == 0 {
		return "with the answer"
	}
	return fmt.Sprintf("%d ms after the answer", ms)
}

func (r Report) scenarios(b *strings.Builder) {
	var runs, none []string
	skipped := map[string][]string{}
	var reasons []string
	for _, s := range r.Scenarios {
		switch {
		case len(s.Runs) > 0:
			runs = append(runs, s.Name)
		case s.Skipped != "":
			if skipped[s.Skipped] == nil {
				reasons = append(reasons, s.Skipped)
			}
			skipped[s.Skipped] = append(skipped[s.Skipped], s.Name)
		default:
			none = append(none, s.Name)
		}
	}
	fmt.Fprintf(b, "\nscenarios: %d of %d can run", len(runs), len(r.Scenarios))
	if len(reasons) > 0 {
		fmt.Fprint(b, "; lines of idemcheck.yaml would enable more:")
	}
	fmt.Fprintln(b)
	for _, reason := range reasons {
		why, yaml := scenarios.Enable(reason)
		fmt.Fprintf(b, "  # %s: %s\n", strings.Join(skipped[reason], ", "), why)
		if yaml != "" {
			fmt.Fprintf(b, "  %s\n", yaml)
		}
	}
	if len(none) > 0 {
		fmt.Fprintf(b, "  make no sense for these operations: %s\n", strings.Join(none, ", "))
	}
}

func list(b *strings.Builder, word string, texts []string) {
	if len(texts) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range texts {
		fmt.Fprintf(b, "%s: %s\n", word, t)
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
