package layers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/idemcheck/idemcheck"

// layer is one row of the table: what a package may import. A name that ends
// in "/..." means a folder with all below it.
type layer struct {
	pkg   string
	ours  []string // packages of this module
	third []string // modules of others
}

var (
	drivers = []string{"github.com/jackc/pgx/v5", "modernc.org/sqlite"}
	base    = []string{"history", "checkers/contract"}
	library = []string{"history", "checkers/...", "inject/...", "scenarios/...", "internal/strict", "internal/template", "internal/expression"}
)

// arrows is the design's section "Layout and arrows". The first row that
// matches a package holds for it; a package without a row fails the test.
var arrows = []layer{
	// Leaves.
	{pkg: "history"},
	{pkg: "checkers/contract"},
	{pkg: "inject/point"},
	{pkg: "internal/template"},
	{pkg: "internal/strict", third: []string{"github.com/goccy/go-yaml", "github.com/agext/levenshtein"}},

	// The two halves, which never import each other.
	{pkg: "inject/wire", ours: join(base, "inject", "inject/point"), third: []string{"github.com/Shopify/toxiproxy/v2", "github.com/rs/zerolog"}},
	{pkg: "inject/worker/container", ours: join(base, "inject", "inject/worker"), third: []string{"github.com/testcontainers/testcontainers-go"}},
	{pkg: "inject/h2", ours: []string{"inject"}, third: []string{"golang.org/x/net"}},
	{pkg: "inject/grpcinject", ours: []string{"inject"}, third: []string{"google.golang.org/grpc", "google.golang.org/protobuf"}},
	{pkg: "inject/...", ours: join(base, "inject/...")},
	{pkg: "checkers/...", ours: join(base, "checkers/..."), third: []string{"github.com/anishathalye/porcupine"}},

	// What stands on them.
	{pkg: "property", ours: join(base, "inject", "checkers"), third: []string{"pgregory.net/rapid", "github.com/google/go-cmp", "github.com/anishathalye/porcupine"}},
	{pkg: "scenarios/target/...", ours: join(base, "inject/...", "scenarios/target/...", "internal/template")},
	{pkg: "scenarios/observe/...", ours: []string{"history", "scenarios/observe/...", "internal/template"}, third: join(drivers, "github.com/go-sql-driver/mysql", "github.com/redis/go-redis/v9", "github.com/emersion/go-smtp", "github.com/prometheus/common", "github.com/prometheus/client_model")},
	{pkg: "internal/proxy/settings", ours: []string{"inject"}},
	{pkg: "internal/proxy", ours: join(base, "inject", "scenarios/...", "internal/template", "internal/strict", "internal/proxy/...")},
	{pkg: "internal/expression", ours: join(base, "checkers"), third: []string{"github.com/expr-lang/expr"}},
	{pkg: "scenarios/...", ours: library},

	// The top.
	{pkg: "internal/config", ours: join(library, "internal/proxy/settings"), third: []string{"mvdan.cc/sh/v3"}},
	{pkg: "internal/schema", ours: join(library, "internal/proxy/settings")},
	{pkg: "internal/doctor", ours: join(library, "internal/config")},
	{pkg: "internal/draft", ours: []string{"checkers/contract", "internal/strict"}, third: []string{"mvdan.cc/sh/v3", "github.com/getkin/kin-openapi"}},
	{pkg: "internal/proxy/relay"},
	{pkg: "internal/proxy/bench", third: []string{"github.com/Shopify/toxiproxy/v2", "github.com/rs/zerolog"}}, // for benchmarks only
	{pkg: "internal/report", ours: join(library, "internal/look")},
	{pkg: "internal/browsertest", third: []string{"github.com/chromedp/chromedp", "github.com/chromedp/cdproto"}}, // for tests
	{pkg: "internal/look"},
	{pkg: "internal/proxy/traffic", ours: join(base, "internal/look")},
	{pkg: "fixtures/...", ours: []string{"inject/point", "fixtures/..."}, third: drivers},
	{pkg: "cmd/...", ours: join(library, "fixtures/...", "internal/...", "cmd/..."), third: []string{"github.com/spf13/cobra"}},

	// Policy.
	{pkg: "internal/layers"},
}

// compiles is the promise to library users: importing one of these packages
// compiles modules of others from this list only.
var compiles = map[string][]string{
	"history":           nil,
	"inject":            nil,
	"inject/point":      nil,
	"checkers/contract": nil,
	"checkers":          {"github.com/anishathalye/porcupine"},
	"property":          {"pgregory.net/rapid", "github.com/google/go-cmp", "github.com/anishathalye/porcupine"},
}

func TestArrows(t *testing.T) {
	said := once{}
	for _, platform := range platforms {
		packages := list(t, platform)
		for _, p := range packages.sorted() {
			if !p.ours() {
				continue
			}
			row := rowOf(p.name())
			if row == nil {
				said.errorf(t, "%s has no row in the table of arrows: add one to internal/layers/arrows_test.go, after reading the design's section 2", p.name())
				continue
			}
			for _, path := range p.Imports {
				checkImport(t, said, p, row, packages[path])
			}
		}
	}
}

// checkImport holds one arrow against the table.
func checkImport(t *testing.T, said once, p pkg, row *layer, to pkg) {
	t.Helper()
	switch {
	case to.Standard || to.ImportPath == "":
	case to.ours():
		if !slices.ContainsFunc(row.ours, func(pattern string) bool { return matches(pattern, to.name()) }) {
			said.errorf(t, "%s imports %s, which the arrows forbid: move what you need, or let the caller pass it in; %s may import: %s",
				p.name(), to.name(), row.pkg, orNothing(row.ours))
		}
	case !slices.Contains(row.third, to.Module.Path):
		said.errorf(t, "%s imports %s of module %s, which the table of arrows does not allow there; it may use: %s",
			p.name(), to.ImportPath, to.Module.Path, orNothing(row.third))
	}
}

func TestCompiledModules(t *testing.T) {
	said := once{}
	for _, platform := range platforms {
		packages := list(t, platform)
		for name, allowed := range compiles {
			p, ok := packages[module+"/"+name]
			if !ok {
				continue // not built yet
			}
			for _, path := range p.Deps {
				d := packages[path]
				if d.Standard || d.ours() || d.Module == nil || slices.Contains(allowed, d.Module.Path) {
					continue
				}
				said.errorf(t, "who imports %s compiles module %s (through %s): cut that import; allowed: %s", name, d.Module.Path, path, orNothing(allowed))
			}
		}
	}
}

// once reports what holds for several platforms a single time.
type once map[string]bool

func (o once) errorf(t *testing.T, format string, args ...any) {
	t.Helper()
	if text := fmt.Sprintf(format, args...); !o[text] {
		o[text] = true
		t.Error(text)
	}
}

// TestTableAllowsNoWayBack keeps the rows themselves true: no row may name cmd or
// property as something to import.
func TestTableAllowsNoWayBack(t *testing.T) {
	for _, row := range arrows {
		for _, pattern := range row.ours {
			if matches(pattern, "property") || strings.HasPrefix(pattern, "cmd") && !strings.HasPrefix(row.pkg, "cmd") {
				t.Errorf("row %s allows %s: nothing may import property or cmd", row.pkg, pattern)
			}
		}
	}
}

func rowOf(name string) *layer {
	for i, row := range arrows {
		if matches(row.pkg, name) {
			return &arrows[i]
		}
	}
	return nil
}

// matches says whether a package is the one, or in the folder, of a pattern.
func matches(pattern, name string) bool {
	folder, ok := strings.CutSuffix(pattern, "/...")
	return name == folder || ok && strings.HasPrefix(name, folder+"/")
}

func join(list []string, more ...string) []string { return slices.Concat(list, more) }

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
