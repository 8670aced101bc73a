package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/internal/expression"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report [DIR|FILE]",
		Short: "make the reports of a stored run: HTML, Markdown, SARIF, JUnit, JSON",
		Long: `report judges a stored run again, by the rules of this version, and writes
report.html, summary.md, results.sarif, junit.xml and report.json beside its
history, and map.json again where there is one. Of a run of proxy it shows what was
learned, and writes its page again. Without an argument it takes the last run,
.idemcheck/latest.

The exit code is that of the command, not of the run: 0 if all was written.`,
		Example: `  idemcheck report
  idemcheck report .idemcheck/r7k2m9
  idemcheck report history.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return makeReports(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func makeReports(args []string, out, warnings io.Writer) error {
	if dir, is, err := proxyRun(args); err != nil || is {
		return errors.Join(err, makePage(dir, out))
	}
	r, dir, _, err := judgeStored(args, warnings)
	if err != nil {
		return err
	}
	r.Dir = dir
	if err := keep(dir, r); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s  run %s\n", strings.ToUpper(string(r.Verdict())), r.History.Header.Run)
	for _, a := range reports(r) {
		fmt.Fprintln(out, filepath.Join(dir, a.name))
	}
	return nil
}

// judgeStored judges a stored run again. What only its report knows is taken
// over from there; known says that there is one.
func judgeStored(args []string, warnings io.Writer) (r report.Run, dir string, known bool, err error) {
	dir, file, err := storedRun(args)
	if err != nil {
		return r, "", false, err
	}
	h, err := readHistory(file, warnings)
	if err != nil {
		return r, "", false, err
	}
	r = report.Run{History: h, Report: expression.Judge(h, contract.Contract{}), Took: took(h)}
	if b, err := os.ReadFile(filepath.Join(dir, "report.json")); err == nil {
		known = remember(&r, b)
	}
	r.Maps, err = storedMaps(filepath.Join(dir, report.MapFile), h.Header.Run)
	return r, dir, known, err
}

// storedMaps are the window maps of a stored run, if it drew any.
func storedMaps(file, run string) ([]scenarios.Map, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return report.ReadMaps(bytes.NewReader(b), run)
}

// storedRun finds the directory and the history of the run that is named, else
// of the last one. Where links cannot be made, latest is a file that names the run.
func storedRun(args []string) (dir, file string, err error) {
	name := filepath.Join(home, "latest")
	if len(args) > 0 {
		name = args[0]
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", "", fmt.Errorf("%s: there is no stored run: idemcheck run makes one", name)
	}
	if !info.IsDir() && filepath.Base(name) == "latest" {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", "", err
		}
		name = filepath.Join(filepath.Dir(name), filepath.Base(strings.TrimSpace(string(b))))
		if info, err = os.Stat(name); err != nil {
			return "", "", err
		}
	}
	if !info.IsDir() {
		return filepath.Dir(name), name, nil
	}
	if real, err := os.Readlink(name); err == nil && !filepath.IsAbs(real) {
		name = filepath.Join(filepath.Dir(name), real) // the run's own name outlives the link
	}
	return name, filepath.Join(name, "history.jsonl"), nil
}

// remember takes over what the run's report says and its history does not; a
// report of another run says nothing.
func remember(r *report.Run, document []byte) bool {
	var d struct {
		Run     string
		Seconds float64
		Whole   bool
		File    string
		Lines   map[string]int
		Accept  []report.Accept
		Apart   []string

		Explored *scenarios.Explored
	}
	if json.Unmarshal(document, &d) != nil || d.Run != r.History.Header.Run {
		return false
	}
	r.Took = time.Duration(d.Seconds * float64(time.Second))
	r.Whole, r.File, r.Lines, r.Accept, r.Apart = d.Whole, d.File, d.Lines, d.Accept, d.Apart
	r.Explored = d.Explored
	return true
}
