package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// forbidden are words that no tracked file may hold, each with what to do. They
// are written in two pieces, so that this file may be tracked.
var forbidden = map[string]string{
	`(?i)\bto` + `do\b`:     "do it now, or file an issue and leave no mark in the code",
	`\bFIX` + `ME\b`:        "fix it now, or file an issue and leave no mark in the code",
	`\bX` + `XX\b`:          "say what is wrong in a sentence, or fix it",
	`(^|[^\w.])/wo` + `rk/`: "it is a path of one machine: make it relative or ask for it",
	`/tmp/br` + `ief`:       "it is a path of one machine: leave it out",
}

func TestForbiddenWords(t *testing.T) {
	patterns := map[*regexp.Regexp]string{}
	for p, advice := range forbidden {
		patterns[regexp.MustCompile(p)] = advice
	}
	for _, file := range tracked(t) {
		b, err := os.ReadFile(filepath.Join(root, file))
		if err != nil || !utf8.Valid(b) || strings.Contains(file, "/testdata/fuzz/") {
			continue // removed but not committed yet, or no text
		}
		n := 0
		for line := range strings.Lines(string(b)) {
			n++
			for p, advice := range patterns {
				if found := p.FindString(line); found != "" {
					t.Errorf("%s:%d: %q must not be there: %s", file, n, strings.TrimSpace(found), advice)
				}
			}
		}
	}
}

// tracked are the files that git keeps. Without git or a repository (a source
// archive) there is nothing to hold the words against.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git repository here, so that the words of tracked files are not checked: %v", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}
