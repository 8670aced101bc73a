package schema_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/schema"
	"github.com/idemcheck/idemcheck/scenarios"
)

var update = flag.Bool("update", false, "write the files under docs/ anew")

// TestFiles: what is committed for editors is what the command prints.
func TestFiles(t *testing.T) {
	for file, text := range map[string][]byte{"idemcheck.schema.json": schema.Config(), "plan.schema.json": schema.Plan()} {
		file = filepath.Join("../../docs", file)
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(file); !bytes.Equal(want, text) {
			t.Errorf("%s is not what the schema is now: go test ./internal/schema -update writes it anew", file)
		}
	}
}

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance is a YAML text as the validator wants it.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	b, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// language is one kind of file: its schema and its reader.
type language struct {
	schema *jsonschema.Schema
	read   func([]byte) error
}

func languages(t *testing.T) (configs, plans language) {
	configs = language{compiled(t, schema.Config()), func(b []byte) error {
		_, err := config.Parse("f", b, func(name string) (string, bool) {
			if name == "DATABASE_URL" {
				return "postgres://app@127.0.0.1/shop", true
			}
			return "a-secret-value", true
		})
		return err
	}}
	plans = language{compiled(t, schema.Plan()), func(b []byte) error {
		_, err := scenarios.Parse("f", b)
		return err
	}}
	return configs, plans
}

var blocks = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// texts are all good files there are, by where they stand.
func texts(t *testing.T) (configs, plans map[string]string) {
	configs, plans = map[string]string{}, map[string]string{}
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, name := range []string{"../../README.md", "../../docs/configuration.md"} {
		for i, m := range blocks.FindAllStringSubmatch(read(name), -1) {
			at := fmt.Sprintf("%s %d", name, i)
			if strings.HasPrefix(m[1], "target:") {
				configs[at] = m[1]
			} else if strings.HasPrefix(m[1], "name:") {
				plans[at] = m[1]
			}
		}
	}
	for _, name := range glob(t, "../config/testdata/good/*.yaml") {
		configs[name] = read(name)
	}
	for _, name := range glob(t, "../../scenarios/catalogue/*.yaml") {
		plans[name] = read(name)
	}
	return configs, plans
}

func glob(t *testing.T, pattern string) []string {
	files, _ := filepath.Glob(pattern)
	if len(files) == 0 {
		t.Fatalf("no %s", pattern)
	}
	return files
}

// TestGood: every good file is valid.
func TestGood(t *testing.T) {
	configs, plans := texts(t)
	c, p := languages(t)
	for name, text := range configs {
		if err := c.schema.Validate(instance(t, []byte(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range plans {
		if err := p.schema.Validate(instance(t, []byte(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBad: files whose structure is wrong are not.
func TestBad(t *testing.T) {
	c, _ := languages(t)
	for _, name := range []string{
		"wrong-types", "unknown-field", "unknown-block", "operations-list", "operations-empty", "target-missing", "text",
		"contract-name", "effects-word", "rules", "links", "links-list", "workers",
	} {
		b, err := os.ReadFile("../config/testdata/bad/" + name + ".yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		if err := c.schema.Validate(instance(t, b)); err == nil {
			t.Errorf("%s is valid by the schema", name)
		}
	}
}

// TestEveryField: what the reader takes somewhere, the schema takes there.
func TestEveryField(t *testing.T) {
	configs, plans := texts(t)
	c, p := languages(t)
	asked := 0
	for name, text := range configs {
		asked += c.fields(t, name, instance(t, []byte(text)))
	}
	for name, text := range plans {
		asked += p.fields(t, name, instance(t, []byte(text)))
	}
	if asked < 300 {
		t.Errorf("only %d fields were asked for", asked)
	}
}

const unknown = "zzz_unknown"

var legal = regexp.MustCompile(`unknown field "` + unknown + `".*; legal here: (.*)`)

// fields puts a field that nobody knows into each mapping: the reader answers
// with those that it knows there, which the schema must know as well.
func (l language) fields(t *testing.T, name string, root any) int {
	seen := map[string]bool{}
	walk(root, nil, func(m map[string]any, path []string) {
		m[unknown] = "x"
		b, err := yaml.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		err = l.read(b)
		refused := l.refuses(root, path, unknown)
		delete(m, unknown)
		if err == nil {
			return
		}
		found := legal.FindStringSubmatch(err.Error())
		if found == nil {
			return // a mapping from names of the user's choice
		}
		if !refused {
			t.Errorf("%s: at %v the schema takes any field; the reader takes %s", name, path, found[1])
		}
		for _, field := range strings.Split(found[1], ", ") {
			if _, there := m[field]; there || seen[field+fmt.Sprint(path)] {
				continue
			}
			seen[field+fmt.Sprint(path)] = true
			m[field] = "x"
			if l.refuses(root, path, field) {
				t.Errorf("%s: at %v the reader takes %q, the schema does not: add it in internal/schema", name, path, field)
			}
			delete(m, field)
		}
	})
	return len(seen)
}

// walk visits each mapping.
func walk(v any, path []string, visit func(map[string]any, []string)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v, path)
		for name, item := range v {
			walk(item, append(slices.Clone(path), name), visit)
		}
	case []any:
		for i, item := range v {
			walk(item, append(slices.Clone(path), fmt.Sprint(i)), visit)
		}
	}
}

// refuses tells whether the schema has no such field at a place.
func (l language) refuses(root any, path []string, field string) bool {
	err, ok := l.schema.Validate(root).(*jsonschema.ValidationError)
	if !ok {
		return false
	}
	var search func(e *jsonschema.ValidationError) bool
	search = func(e *jsonschema.ValidationError) bool {
		if k, is := e.ErrorKind.(*kind.AdditionalProperties); is && slices.Equal(e.InstanceLocation, path) && slices.Contains(k.Properties, field) {
			return true
		}
		return slices.ContainsFunc(e.Causes, search)
	}
	return search(err)
}
