package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/fixtures/payments"
)

// What README counts is what there is, and it stays short.
func TestREADME(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	want := fmt.Sprintf("%d defects found, no alarm on %d sound designs", len(payments.Defects), len(demoServices())-len(payments.Defects))
	if !strings.Contains(text, want) {
		t.Errorf("README.md does not say: %s", want)
	}
	if n := strings.Count(text, "\n"); n > 170 {
		t.Errorf("README.md has %d lines, at most 170 are read", n)
	}
	for _, name := range spokenOf(text) {
		if cmd, _, err := rootCommand().Find([]string{name}); err != nil || cmd.Name() != name {
			t.Errorf("README.md speaks of idemcheck %s, which is no command", name)
		}
	}
}

// spokenOf are the commands of examples and of code in the text.
func spokenOf(text string) (names []string) {
	for i, block := range strings.Split(text, "```") {
		lead := "`idemcheck "
		if i%2 == 1 {
			lead = "\nidemcheck "
		}
		for _, rest := range strings.Split(block, lead)[1:] {
			names = append(names, strings.Trim(strings.Fields(rest)[0], "`,.;"))
		}
	}
	return names
}
