package scenarios

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every plan in the documents is one that this version reads.
func TestDocuments(t *testing.T) {
	seen := 0
	for _, file := range []string{"README.md", "docs/configuration.md", "docs/explore.md"} {
		text, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "name:") {
				continue
			}
			seen++
			if _, err := Parse(file, []byte(m[1])); err != nil {
				t.Errorf("%s:\n%s\n%v", file, m[1], err)
			}
		}
	}
	if seen == 0 {
		t.Error("no plan was found")
	}
}
