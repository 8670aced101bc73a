package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/draft"
	"github.com/idemcheck/idemcheck/scenarios"
)

// The first try without a file: what is run, in this order, and for how long.
var firstTry = []string{"plain", "repeat", "lost-answer", "overlap", "changed-payload", "lost-request", "client-cut", "reencoded-payload"}

const firstTryTime = 25 * time.Second

// fromCurl makes the configuration of a curl line.
func (f *runFlags) fromCurl(notes io.Writer) (*config.File, error) {
	d, err := draft.FromCurl(f.curl, os.ReadFile)
	if err != nil {
		return nil, err
	}
	if d.Allow != "" && !strings.EqualFold(d.Allow, f.allow) {
		return nil, fmt.Errorf("%s is not on loopback, and idemcheck sends repeats there: if this is a test system, add  --allow %s", d.Allow, d.Allow)
	}
	f.draft = d
	for _, n := range d.Notes {
		fmt.Fprintf(notes, "idemcheck: %s\n", n)
	}
	file, err := config.Parse(f.file, d.YAML(), d.Lookup(os.LookupEnv))
	if err != nil {
		return nil, fmt.Errorf("the line makes no configuration that can be used: %w", err)
	}
	file.Limits.Attempt = 5 * time.Second
	return file, nil
}

// firstPlans are the scenarios of a first try, unless some are named.
func firstPlans() []scenarios.Plan {
	var plans []scenarios.Plan
	for _, name := range firstTry {
		if p, ok := scenarios.Lookup(name); ok {
			plans = append(plans, p)
		}
	}
	return plans
}

// keepDraft writes the file of a first try: beside the run, and here if there is none yet.
func (f runFlags) keepDraft(w io.Writer, dir string) error {
	if f.draft == nil {
		return nil
	}
	text := f.draft.YAML()
	if err := os.WriteFile(filepath.Join(dir, "idemcheck.yaml"), text, 0o644); err != nil {
		return err
	}
	switch err := writeNew(f.file, text); {
	case errors.Is(err, fs.ErrExist):
		fmt.Fprintf(w, "%s is there already and was left as it is; what this line makes is in %s\n", f.file, filepath.ToSlash(filepath.Join(dir, "idemcheck.yaml")))
		return nil
	case err != nil:
		return err
	}
	for _, s := range f.draft.Secrets {
		fmt.Fprintf(w, "%s is not in the file: set the environment variable (%s)\n", s.Name, s.For)
	}
	fmt.Fprintf(w, "wrote %s; to count effects, write these lines in place of  effects: none\n", f.file)
	for _, line := range f.draft.Effects() {
		fmt.Fprintf(w, "  %s\n", line)
	}
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(name string, text []byte) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return errors.Join(err, out.Close())
}
