package scenarios

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every plan in the documents is one that this version reads.
func TestDocuments(t *testing.T) {
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(m[1], "name:") {
			seen++
			if _, err := Parse("docs/configuration.md", []byte(m[1])); err != nil {
				t.Error(err)
			}
		}
	}
	if seen == 0 {
		t.Error("no plan was found")
	}
}
