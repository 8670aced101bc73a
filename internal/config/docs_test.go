package config

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

var block = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every configuration in the documents is one that this version reads.
func TestDocuments(t *testing.T) {
	set := func(name string) (string, bool) {
		if name == "DATABASE_URL" {
			return "postgres://app@127.0.0.1/shop", true
		}
		return "a-secret-value", true
	}
	seen := 0
	for _, file := range []string{"README.md", "docs/configuration.md"} {
		for _, m := range block.FindAllStringSubmatch(document(t, file), -1) {
			if !strings.HasPrefix(m[1], "target:") {
				continue
			}
			seen++
			if _, err := Parse(file, []byte(m[1]), set); err != nil {
				t.Errorf("%s:\n%s\n%v", file, m[1], err)
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d configurations were found", seen)
	}
}

// Every name that the configuration and plans know is documented.
func TestDocumentsAreComplete(t *testing.T) {
	text := document(t, "docs/configuration.md")
	names := slices.Concat(topFields, operationFields, common, linkFields, workerFields, proxyFields, proxyRuleFields, matchFields, listenFields, upstreamFields, []string{"life", "claim", "like", "name"})
	for _, a := range contract.Axes {
		names = append(names, a.Name)
	}
	for _, c := range contract.Catalogue {
		names = append(names, c.Name)
	}
	for _, f := range inject.Faults {
		names = append(names, f.Fault.Name)
	}
	for _, name := range names {
		if !regexp.MustCompile("[`.]" + regexp.QuoteMeta(name) + "[`.]").MatchString(text) {
			t.Errorf("docs/configuration.md does not speak of `%s`", name)
		}
	}
	for _, name := range template.Ours {
		if !strings.Contains(text, "`${"+name) {
			t.Errorf("docs/configuration.md does not speak of ${%s}", name)
		}
	}
}
