package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every configuration in the documents is one that this version reads.
func TestDocuments(t *testing.T) {
	set := func(name string) (string, bool) {
		if name == "DATABASE_URL" {
			return "postgres://app@127.0.0.1/shop", true
		}
		return "a-secret-value", true
	}
	seen := 0
	for _, file := range []string{"../../README.md", "../../docs/configuration.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "target:") {
				continue
			}
			seen++
			if _, err := Parse(file, []byte(m[1]), set); err != nil {
				t.Error(err)
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d configurations were found", seen)
	}
}
