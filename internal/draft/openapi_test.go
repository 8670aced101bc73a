package draft

import (
	"fmt"
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

// TestWideSchema: a document whose smallest body has a hundred million values ends soon.
func TestWideSchema(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/s0"}}}}}}},"components":{"schemas":{"s8":{"type":"string"}`)
	for i := range 8 {
		fmt.Fprintf(&b, `,"s%d":{"type":"object","required":["a","b","c","d","e","f","g","h","i","j"],"properties":{`, i)
		for j, name := range "abcdefghij" {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"%c":{"$ref":"#/components/schemas/s%d"}`, name, i+1)
		}
		b.WriteString("}}")
	}
	b.WriteString("}}}")
	f, err := FromOpenAPI([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.YAML()); n > 200<<10 {
		t.Errorf("the file has %d bytes", n)
	}
}

// seeds are small: a fuzzer that has to shorten a document of some thousand
// bytes, each of which takes a schema's reader to see, does nothing else.
var seeds = []string{
	`{"openapi":"3.0.0","info":{},"paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"required":["a"],"properties":{"a":{"type":"integer"},"order_id":{"type":"string"}}}}}},"responses":{}}}}}`,
	`{"openapi":"3.1.0","paths":{"/a/{b}":{"put":{"parameters":[{"name":"b","in":"path"},{"name":"Idempotency-Key","in":"header"}]}}}}`,
	`{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"*/*":{"schema":{"$ref":"#/components/schemas/s"}}}}}}},"components":{"schemas":{"s":{"allOf":[{"$ref":"#/components/schemas/s"}]}}}}`,
	`{"openapi":"3.0.0","servers":[{"url":"https://api.stripe.com/v1"}],"paths":{"/a":{"post":{"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":{"amount":{"type":"number"},"metadata":{"type":"object"}}}}}}}}}}`,
	"openapi: 3.0.0\npaths:\n  /a#b c:\n    delete: {operationId: d é}\n",
	`{"openapi":"3.0.0","security":[{"k":[]}],"paths":{"/a":{"patch":{}}},"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"a b"}}}}`,
	`{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"string","pattern":"^[a-c]{2}(x|y)+$"}}}}}}}}`,
}

// FuzzOpenAPI: what a document makes is always a file that can be read.
func FuzzOpenAPI(f *testing.F) {
	for _, text := range seeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4<<10 {
			return
		}
		d, err := FromOpenAPI(b)
		if err != nil {
			return
		}
		if _, err := config.Parse("f", d.YAML(), environment); err != nil && !expected(err) {
			t.Errorf("%s\n%v", d.YAML(), err)
		}
	})
}
