package draft

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/internal/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

func noFile(string) ([]byte, error) { return nil, os.ErrNotExist }

// environment has every variable.
func environment(name string) (string, bool) {
	switch name {
	case "DATABASE_URL":
		return "postgres://app@127.0.0.1/shop", true
	case "BASE_URL":
		return "http://127.0.0.1:8080/api", true
	}
	return "value-of-" + strings.ToLower(name), true
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.ReadFile(file)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update writes it anew)\n%s", file, diff)
	}
}

// TestCurl reads each line of testdata, and holds the file that it makes.
func TestCurl(t *testing.T) {
	files, _ := filepath.Glob("testdata/curl/*.sh")
	if len(files) < 8 {
		t.Fatalf("only %d lines", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			line, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := FromCurl(string(line), func(name string) ([]byte, error) { return os.ReadFile("testdata/curl/" + name) })
			if err != nil {
				t.Fatal(err)
			}
			text := string(f.YAML())
			for _, s := range f.Secrets {
				if s.Value != "" && strings.Contains(text, s.Value) {
					t.Errorf("the file tells the secret %s", s.Name)
				}
			}
			if _, err := config.Parse("idemcheck.yaml", []byte(text), f.Lookup(environment)); err != nil {
				t.Errorf("%s\n%v", text, err)
			}
			for _, n := range f.Notes {
				text += "# note: " + n + "\n"
			}
			golden(t, "curl/"+strings.TrimSuffix(filepath.Base(file), ".sh")+".golden", text)
		})
	}
}

func TestCurlErrors(t *testing.T) {
	for line, want := range map[string]string{
		"":                                    "want one curl command",
		"wget http://127.0.0.1/":              `begins with "wget"`,
		"curl":                                "has no address",
		"curl http://a/ http://b/":            "one address is wanted",
		"curl ftp://127.0.0.1/":               "ftp addresses",
		"curl 'http://127.0.0.1/":             "can not be read as a shell line",
		"curl http://127.0.0.1/ -d $(id)":     "nothing is run",
		"curl http://127.0.0.1/ -d `id`":      "nothing is run",
		"curl http://127.0.0.1/ -d <(id)":     "nothing is run",
		"curl http://127.0.0.1/ -d $body":     "the variable $body can not be kept",
		"curl http://127.0.0.1/ --haeder A:b": `--haeder is not known here (did you mean "header"?)`,
		"curl http://127.0.0.1/ -Z":           "-Z is not known here",
		"curl http://127.0.0.1/ -X":           "-X needs a value",
		"curl http://127.0.0.1/ -F a=b":       "multipart forms are not read",
		"curl http://127.0.0.1/ -d @body":     "file does not exist",
		"curl http://127.0.0.1/ -H @file":     "headers from a file",
		"curl http://127.0.0.1/; rm -r x":     "the line has 2 commands",
		"curl http://127.0.0.1/ -X 'P OST'":   "want a method",
		"curl http://127.0.0.1/ --next":       "one request is wanted",
	} {
		f, err := FromCurl(line, noFile)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %v, want %q", line, f, err, want)
		}
	}
}

// FuzzCurl: what a line makes is always a file that can be read.
func FuzzCurl(f *testing.F) {
	files, _ := filepath.Glob("testdata/curl/*.sh")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, line string) {
		d, err := FromCurl(line, noFile)
		if err != nil {
			return
		}
		if _, err := config.Parse("f", d.YAML(), d.Lookup(environment)); err != nil && !expected(err) {
			t.Errorf("%q\n%s\n%v", line, d.YAML(), err)
		}
	})
}

// expected are mistakes of the line itself, that the file can only repeat.
func expected(err error) bool {
	for _, part := range []string{"is not allowed", "must be a URL", "header", "is empty", "must be a method and a path"} {
		if strings.Contains(err.Error(), part) {
			return true
		}
	}
	return errors.Is(err, os.ErrNotExist)
}

// TestStarter: the starter is a file that can be read, with nothing set.
func TestStarter(t *testing.T) {
	if _, err := config.Parse("starter.yaml", []byte(Starter), func(string) (string, bool) { return "", false }); err != nil {
		t.Error(err)
	}
}

// TestStarterFilledIn: its commented blocks are good as they stand.
func TestStarterFilledIn(t *testing.T) {
	text := regexp.MustCompile(`(?m)^# ((?:effects|links|workers):| )`).ReplaceAllString(Starter, "$1")
	text = strings.Replace(text, "\neffects: none\n", "\n", 1)
	f, err := config.Parse("starter.yaml", []byte(text), environment)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Effects) != 3 || len(f.Links) != 2 || len(f.Workers) != 1 {
		t.Errorf("%d effects, %d links, %d workers", len(f.Effects), len(f.Links), len(f.Workers))
	}
}
