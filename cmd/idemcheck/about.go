package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// about is what reports say of a run and its history does not hold.
func about(file *config.File, opt scenarios.Options, sys scenarios.System) report.Run {
	r := report.Run{File: file.Name, Lines: map[string]int{}}
	for _, o := range file.Operations {
		r.Lines[o.Name] = o.Line
	}
	for _, a := range file.Accept {
		r.Accept = append(r.Accept, report.Accept(a))
	}
	named := func(p scenarios.Plan) bool {
		return slices.ContainsFunc(opt.Plans, func(o scenarios.Plan) bool { return o.Name == p.Name })
	}
	r.Whole = len(opt.Operations) == 0 && !slices.ContainsFunc(scenarios.Catalogue(), func(p scenarios.Plan) bool { return !named(p) })
	r.Apart = scenarios.Apart(sys, opt.Plans, opt.Operations)
	return r
}

// tellGitHub shows a run where a job of GitHub Actions shows it: annotations
// beside the configuration, and a summary of the job. Elsewhere it does nothing.
func tellGitHub(log io.Writer, dir string, r report.Run) error {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	if err := report.Annotations(log, r); err != nil {
		return err
	}
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary.md"))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(summary, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
