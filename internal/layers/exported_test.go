package layers

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "accept the exported names as they are")

const golden = "testdata/exported.golden"

// TestExportedNames holds the exported names of the public packages against a
// list in the repository, so that none comes or goes unseen.
func TestExportedNames(t *testing.T) {
	var lines []string
	for _, s := range sources(t) {
		for _, e := range s.exported() {
			if public(s.folder) {
				lines = append(lines, fmt.Sprintf("%s %s %s", s.folder, e.kind, e.name))
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines) // files for several platforms declare the same names
	methods := 0
	for _, l := range lines {
		if strings.Contains(l, " method ") {
			methods++
		}
	}
	count := fmt.Sprintf("%d exported names at top level, %d methods", len(lines)-methods, methods)
	t.Log(count + "; the design aims at about 150 at top level")
	got := "# " + count + "\n" + strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("no list of exported names: make it with go test ./internal/layers -update (%v)", err)
	}
	if diff := difference(string(want), got); diff != "" {
		t.Errorf("the exported names changed:\n%sIf each new name is needed by a caller and documented, accept them: go test ./internal/layers -update", diff)
	}
}

// difference lists lines that came (+) and went (-).
func difference(want, got string) string {
	old := strings.Split(strings.ReplaceAll(want, "\r\n", "\n"), "\n")
	now := strings.Split(got, "\n")
	var b strings.Builder
	for _, l := range old {
		if !slices.Contains(now, l) {
			b.WriteString("  - " + l + "\n")
		}
	}
	for _, l := range now {
		if !slices.Contains(old, l) {
			b.WriteString("  + " + l + "\n")
		}
	}
	return b.String()
}

func TestExportedNamesAreDocumented(t *testing.T) {
	packages := map[string]bool{} // documented
	for _, s := range sources(t) {
		packages[s.folder] = packages[s.folder] || s.syntax.Doc != nil
		for _, e := range s.exported() {
			if !e.documented {
				t.Errorf("%s:%d: %s %s has no comment: say what a caller needs (meaning, units, errors), or do not export it", s.path, s.line(e.pos), e.kind, e.name)
			}
		}
	}
	for folder, documented := range packages {
		if !documented {
			t.Errorf("package %s has no comment: begin one of its files with // Package NAME ... (a command: // NAME ...)", folder)
		}
	}
}
