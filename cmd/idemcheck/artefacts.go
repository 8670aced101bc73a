package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// home is where runs are kept, below the working directory.
const home = ".idemcheck"

// newRun is a random run id; IDEMCHECK_RUN fixes it. It never comes from the
// seed: two runs of one seed must not meet in a shared system.
func newRun() (string, error) {
	if id := os.Getenv("IDEMCHECK_RUN"); id != "" {
		if !regexp.MustCompile(`^[a-z0-9]{1,20}$`).MatchString(id) {
			return "", fmt.Errorf("IDEMCHECK_RUN %q: want 1 to 20 lower-case letters and digits", id)
		}
		return id, nil
	}
	const letters = "abcdefghjkmnpqrstvwxyz23456789"
	b := make([]byte, 5)
	rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return "r" + string(b), nil
}

// unusedRun refuses the id of a run that was recorded in this directory.
func unusedRun(id string) error {
	if _, err := os.Stat(filepath.Join(home, id, "history.jsonl")); err != nil {
		return nil
	}
	return &exitError{exitInconclusive, fmt.Errorf("inconclusive: the run id %s was used before, so the service would answer with replays, and what they show is worth nothing: set IDEMCHECK_RUN to another; if the service has forgotten that run, remove %s/%s", id, home, id)}
}

// makeRun makes the directory of a run.
func makeRun(run string) (dir string, err error) {
	dir = filepath.Join(home, run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(home, ".gitignore"), []byte("*\n"), 0o644)
}

// openRun makes the directory of a run and points .idemcheck/latest at it.
func openRun(run string) (dir string, err error) {
	if dir, err = makeRun(run); err != nil {
		return "", err
	}
	latest := filepath.Join(home, "latest")
	os.Remove(latest)
	if os.Symlink(run, latest) != nil { // not everybody may make links on Windows
		err = os.WriteFile(latest, []byte(run+"\n"), 0o644)
	}
	return dir, err
}

type artefact struct {
	name  string
	print func(io.Writer, report.Run) error
}

// artefacts are the reports that are kept beside a history.
var artefacts = []artefact{
	{report.HTMLFile, report.HTML},
	{"summary.md", report.Markdown},
	{"results.sarif", report.SARIF},
	{"junit.xml", report.JUnit},
	{"report.json", report.JSON},
}

// reports are the artefacts of one run.
func reports(r report.Run) []artefact {
	if len(r.Maps) == 0 {
		return artefacts
	}
	return append(slices.Clip(artefacts), artefact{report.MapFile, report.WriteMaps})
}

// keep writes the reports of a run.
func keep(dir string, r report.Run) error {
	for _, a := range reports(r) {
		var b bytes.Buffer
		if err := a.print(&b, r); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, a.name), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// keepPlans writes a plan for each case that failed.
func keepPlans(dir string, r report.Run, plans []scenarios.Plan) error {
	for _, c := range r.Report.Cases {
		if c.Verdict != checkers.Fail {
			continue
		}
		if err := keepPlan(dir, r, c, plans); err != nil {
			return err
		}
	}
	return nil
}

// keepPlan writes the plan of one case as a file that runs it alone.
func keepPlan(dir string, r report.Run, c checkers.Case, plans []scenarios.Plan) error {
	for _, p := range plans {
		if p.Name == c.Scenario {
			_, swept, _ := strings.Cut(c.Name, "/"+c.Operation+"/")
			return os.WriteFile(filepath.Join(dir, r.PlanFile(c.Name)), []byte(p.Only(c.Operation, swept)), 0o644)
		}
	}
	return nil // a rule of the user's has no plan
}
