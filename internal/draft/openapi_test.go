package draft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/config"
)

// TestOpenAPI holds what is made of each document; every operation of it that
// is under test has a body that the document allows, since no note says otherwise.
func TestOpenAPI(t *testing.T) {
	files, _ := filepath.Glob("testdata/openapi/*.[jy]*")
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		seen++
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := FromOpenAPI(b)
			if err != nil {
				t.Fatal(err)
			}
			text := string(f.YAML())
			if again, err := FromOpenAPI(b); err != nil || string(again.YAML()) != text {
				t.Error("the same document made another file")
			}
			parsed, err := config.Parse("idemcheck.yaml", []byte(text), environment)
			if err != nil {
				t.Errorf("%s\n%v", text, err)
			}
			if parsed != nil && len(parsed.Operations) == 0 {
				t.Error("no operation")
			}
			for _, o := range f.Operations {
				if strings.Contains(strings.Join(o.Notes, " "), "check the body") {
					t.Errorf("%s: %v", o.Name, o.Notes)
				}
			}
			golden(t, "openapi/"+filepath.Base(file)+".golden", text)
		})
	}
	if seen < 3 {
		t.Errorf("only %d documents", seen)
	}
}

func TestOpenAPIErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "want a document that begins with openapi: 3.x",
		"swagger: '2.0'":                      "this is Swagger 2.0",
		"openapi: 2.9.0\ninfo: {}\npaths: {}": "want a document that begins",
		"openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths: {}":                                     "has no operation that changes anything",
		"openapi: 3.0.0\npaths: {/a: {$ref: 'other.yaml#/a'}}":                                          "external reference",
		"openapi: 3.0.0\npaths: {/a: {post: {requestBody: {$ref: '#/components/requestBodies/None'}}}}": "openapi:",
		"{": "openapi:",
	} {
		f, err := FromOpenAPI([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, f, err, want)
		}
	}
	if _, err := FromOpenAPI(make([]byte, MaxOpenAPI+1)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%v", err)
	}
}

// FuzzOpenAPI: what a document makes is always a file that can be read.
func FuzzOpenAPI(f *testing.F) {
	files, _ := filepath.Glob("testdata/openapi/*.[jy]*")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := FromOpenAPI(b)
		if err != nil {
			return
		}
		if _, err := config.Parse("f", d.YAML(), environment); err != nil && !expected(err) {
			t.Errorf("%s\n%v", d.YAML(), err)
		}
	})
}
