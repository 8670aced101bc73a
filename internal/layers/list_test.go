package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the folder of the module, seen from this package.
const root = "../.."

// platforms are those that the command is built for.
var platforms = []string{"linux", "darwin", "windows"}

// pkg is what go list says of one package.
type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
	Module     *struct{ Path string }
}

func (p pkg) ours() bool {
	return p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/")
}
func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// pkgs are packages by import path.
type pkgs map[string]pkg

func (p pkgs) sorted() []pkg {
	var all []pkg
	for _, path := range slices.Sorted(maps.Keys(p)) {
		all = append(all, p[path])
	}
	return all
}

var listed sync.Map // platform: pkgs

// list asks the go command for all packages of the module and what they
// compile on a platform, test files left out.
func list(t *testing.T, platform string) pkgs {
	t.Helper()
	if p, ok := listed.Load(platform); ok {
		return p.(pkgs)
	}
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Standard,Imports,Deps,Module", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", platform, err, stderr.String())
	}
	packages := pkgs{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("output of go list for %s: %v", platform, err)
		}
		packages[p.ImportPath] = p
	}
	listed.Store(platform, packages)
	return packages
}
