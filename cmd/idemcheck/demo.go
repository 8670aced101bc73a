package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/report"
)

// demoResult is what demo --output json prints.
type demoResult struct {
	Sound   demoSound    `json:"sound"`
	Defects []demoDefect `json:"defects"`
	Found   int          `json:"found"`
	Total   int          `json:"total"`
	Maps    []demoMap    `json:"maps"`
	Seconds float64      `json:"seconds"`

	drawn []report.Run // of the maps
}

// right says whether all was found, and nothing else.
func (r demoResult) right() bool {
	return r.Found == r.Total && r.Sound.Verdict == "pass" && !slices.ContainsFunc(r.Maps, func(m demoMap) bool { return !m.shown() })
}

// demoSound is the sound service and its variants, taken together.
type demoSound struct {
	Verdict  string `json:"verdict"`
	Variants int    `json:"variants"`
	Cases    int    `json:"cases"`
	Fired    int    `json:"faults_fired"`
	Skipped  int    `json:"skipped"`

	Reasons []string `json:"reasons"` // why it is no pass: the first of each service
}

// demoDefect is one defect and what it was found by.
type demoDefect struct {
	Name     string `json:"name"`
	Bug      string `json:"bug"`
	Scenario string `json:"scenario"`
	Expected string `json:"expected_rule"`
	Rule     string `json:"rule"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitempty"` // of a defect that was missed: what was found instead
}

func (d demoDefect) found() bool { return d.Verdict == "fail" && d.Rule == d.Expected }

func demoCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "see idemcheck find well-known defects in a payments service, and none in sound ones",
		Long: `demo starts a small payments service in this process: sound, sound in other ways,
and with one well-known defect at a time. It runs the catalogue against each and
shows what it found. Then it starts the service as processes, kills them at every
step of a charge, and shows the maps. Nothing is installed and nothing leaves
this machine. It takes a few minutes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			return demo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), output)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

func demo(ctx context.Context, out, progress io.Writer, output string) error {
	begin := time.Now()
	services := demoServices()
	note := startProgress(progress)
	defer note.end()
	runs, err := runServices(ctx, services, note.show)
	if err != nil {
		return err
	}
	result := summarise(services, runs)
	if result.drawn, result.Maps, err = drawAll(ctx, demoMapped(), note.show); err != nil {
		return err
	}
	note.end()
	result.Seconds = time.Since(begin).Seconds()
	if output == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(result)
	} else {
		err = demoText(out, services, runs, result)
	}
	if err != nil {
		return err
	}
	if !result.right() {
		return &exitError{code: exitFail}
	}
	return nil
}

// demoServices are the sound service, its variants and its defects, in this order.
func demoServices() []service {
	all := []service{{Name: "payments", Doc: "the service as it should be", Contract: payments.Contract, Whole: true}}
	for _, v := range payments.Variants {
		if !v.Slow {
			all = append(all, variantService(v))
		}
	}
	for _, d := range payments.Defects { // the whole of each is for the tests: it takes too long to watch
		all = append(all, shortService(d))
	}
	return all
}

func variantService(v payments.Variant) service {
	s := service{Name: v.Name, Doc: v.Doc, Contract: v.Contract, Operations: v.Operations, Config: payments.Config{Variant: v.Name}}
	if v.Slow {
		s.Settle = "10s"
	}
	return s
}

func defectService(d payments.Defect) service {
	return service{Name: d.Name, Doc: d.Doc, Contract: payments.Contract, Whole: true, Defect: &d, Config: payments.Config{Defect: d.Name}}
}

// shortService has the operations that all designs have, and the one that the
// defect is about.
func shortService(d payments.Defect) service {
	s := defectService(d)
	s.Whole, s.Operations = false, []string{"charge", "transfer", d.Of}
	if d.Of == "close" {
		s.Operations = append(s.Operations, "mandate") // comes before it
	}
	return s
}

// summarise counts what the runs showed.
func summarise(services []service, runs []report.Run) demoResult {
	result := demoResult{Sound: demoSound{Verdict: "pass", Reasons: []string{}}, Defects: []demoDefect{}}
	for i, s := range services {
		if s.Defect == nil {
			result.Sound.add(s, runs[i])
			continue
		}
		d := defectOf(s, runs[i])
		result.Defects = append(result.Defects, d)
		result.Total++
		if d.found() {
			result.Found++
		}
	}
	return result
}

func (s *demoSound) add(of service, r report.Run) {
	s.Variants++
	switch report.Exit(r) {
	case exitFail:
		s.Verdict = "fail"
	case exitInconclusive:
		if s.Verdict == "pass" {
			s.Verdict = "inconclusive"
		}
	}
	if why := firstReason(r.Report); why != "" {
		s.Reasons = append(s.Reasons, of.Name+": "+why)
	}
	for _, c := range r.Report.Cases {
		s.Cases++
		s.Fired += c.Fired
		if c.Skipped != "" {
			s.Skipped++
		}
	}
}

// firstReason is why a run is no pass: of what failed, else of what is
// inconclusive, else of the whole run.
func firstReason(r checkers.Report) string {
	for _, verdict := range []checkers.Verdict{checkers.Fail, checkers.Inconclusive} {
		for _, c := range r.Cases {
			for _, v := range c.Violations {
				if v.Verdict == verdict {
					return c.Name + ": " + v.Reason
				}
			}
		}
	}
	for _, problem := range r.Problems {
		return problem
	}
	return ""
}

// defectOf names the first failing case and, in the order of the rules, the first that it breaks.
func defectOf(s service, r report.Run) demoDefect {
	d := demoDefect{Name: s.Name, Bug: s.Defect.Bug, Expected: s.Defect.Rule, Verdict: "pass"}
	if c, rule := firstFailure(r.Report); c != "" {
		d.Scenario, d.Rule, d.Verdict = c, rule, "fail"
	} else if report.Exit(r) == exitInconclusive {
		d.Verdict = "inconclusive"
	}
	if !d.found() {
		d.Reason = firstReason(r.Report)
	}
	return d
}

// demoText shows one failure in full, then everything found.
func demoText(w io.Writer, services []service, runs []report.Run, result demoResult) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "idemcheck demo: a payments service, as it should be and with one defect at a time.\n\n")
	for i, s := range services {
		if s.Name == "effect-then-mark" {
			fmt.Fprintf(&b, "This is what a failure looks like (the defect %s):\n\n", s.Name)
			if err := report.Failures(&b, firstOnly(runs[i])); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(&b)
	soundTable(&b, services, runs)
	defectTable(&b, result)
	if err := mapsText(&b, demoMapped(), result.drawn); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%d of %d defects found, %s on %d sound services · %.1f s\n", result.Found, result.Total,
		map[string]string{"pass": "no alarm", "fail": "A FALSE ALARM", "inconclusive": "not everything could be judged"}[result.Sound.Verdict],
		result.Sound.Variants, result.Seconds)
	fmt.Fprintf(&b, "Next: write an idemcheck.yaml for your service (see the README), then idemcheck run.\n")
	_, err := w.Write(b.Bytes())
	return err
}

// firstOnly leaves the first failing case.
func firstOnly(r report.Run) report.Run {
	for _, c := range r.Report.Cases {
		if c.Verdict == checkers.Fail {
			r.Report.Cases = []checkers.Case{c}
			break
		}
	}
	return r
}

func soundTable(w io.Writer, services []service, runs []report.Run) {
	fmt.Fprintln(w, "Sound services, each in its own way:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var why []string
	for i, s := range services {
		if s.Defect == nil {
			var one demoSound
			one.Verdict = "pass"
			one.add(s, runs[i])
			why = append(why, one.Reasons...)
			fmt.Fprintf(t, "  %s\t%s\t%d cases\t%d faults fired\n", one.Verdict, s.Name, one.Cases, one.Fired)
		}
	}
	t.Flush()
	for _, line := range why {
		fmt.Fprintln(w, "  !", line)
	}
}

func defectTable(w io.Writer, result demoResult) {
	fmt.Fprintln(w, "\nDefects, one at a time:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var missed []string
	for _, d := range result.Defects {
		if d.Reason != "" {
			missed = append(missed, d.Name+": "+d.Reason)
		}
		verdict := map[bool]string{true: "FOUND", false: "MISSED"}[d.found()]
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", verdict, d.Name, d.Scenario, d.Rule, d.Bug)
	}
	t.Flush()
	for _, line := range missed {
		fmt.Fprintln(w, "  !", line)
	}
}
