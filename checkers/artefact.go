package checkers

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// artefacts is what a test has that can keep files: testing.TB since Go 1.26.
type artefacts interface{ ArtifactDir() string }

// keepsArtefacts reports whether artefacts outlive the test.
var keepsArtefacts = keepsByFlag

func keepsByFlag() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// keep writes the history among the artefacts of the test, and says where it is.
func keep(t TB, h history.History, rules []Rule) string {
	a, ok := t.(artefacts)
	if !ok || len(h.Events) == 0 {
		return ""
	}
	if !keepsArtefacts() {
		return "history: kept by go test -artifacts, for idemcheck check\n"
	}
	file, err := newFile(a.ArtifactDir(), "history", ".jsonl", writeHistory(withRules(h, rules)))
	if err != nil {
		return fmt.Sprintf("history: not kept: %v\n", err)
	}
	own := strangerRules(rules)
	if len(own) > 0 && len(own) == len(rules) {
		return "history: " + file + "\n"
	}
	text := fmt.Sprintf("history: %s; idemcheck check %[1]s\n", file)
	if len(own) > 0 {
		text += fmt.Sprintf("(idemcheck check knows the rules of the catalogue only, not %s)\n", strings.Join(own, ", "))
	}
	return text
}

// newFile makes a file that was not there: a test may fail more than once.
func newFile(dir, name, ending string, write func(path string) error) (path string, err error) {
	for n := 1; ; n++ {
		path = filepath.Join(dir, name+ending)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, ending))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, errors.Join(f.Close(), write(path))
	}
}

func writeHistory(h history.History) func(path string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(history.Write(f, h), f.Close())
	}
}

// withRules writes the rules that a test named into the marks of its cases, so
// that the file alone is judged as the test was.
func withRules(h history.History, rules []Rule) history.History {
	var names []string
	for _, r := range rules {
		if _, known := Lookup(r.Name); known {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return h
	}
	h.Events = slices.Clone(h.Events)
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != history.Mark || e.Name != history.MarkCase {
			continue
		}
		attrs := map[string]string{}
		for k, v := range e.Attrs {
			attrs[k] = v
		}
		attrs["rules"] = strings.Join(names, ", ")
		e.Attrs = attrs
	}
	return h
}

// strangerRules are the names of rules that no catalogue has.
func strangerRules(rules []Rule) (names []string) {
	for _, r := range rules {
		if _, known := Lookup(r.Name); !known {
			names = append(names, r.Name)
		}
	}
	return names
}
