package config

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/idemcheck/idemcheck/internal/template"
)

var update = flag.Bool("update", false, "write the golden files anew")

var environment = map[string]string{
	"TOKEN": "tok-secret", "ALICE": "alice-secret", "BOB": "bob-secret", "DATABASE_URL": "sqlite:./shop.db",
}

func lookup(name string) (string, bool) {
	v, ok := environment[name]
	return v, ok
}

// TestBad holds each clear error against its golden text.
func TestBad(t *testing.T) {
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	if len(files) < 30 {
		t.Fatalf("only %d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse("idemcheck.yaml", b, lookup)
			if err == nil {
				t.Fatal("taken as good")
			}
			if strings.Contains(err.Error(), "-secret") {
				t.Error("the error tells a secret")
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(golden)
			if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Errorf("(-want +got; go test -update writes it anew)\n%s", diff)
			}
		})
	}
}

func good(t *testing.T, name string) *File {
	t.Helper()
	b, err := os.ReadFile("testdata/good/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(name+".yaml", b, lookup)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSmallest(t *testing.T) {
	f := good(t, "smallest")
	o := f.Operations[0]
	if o.Key.In != "header" || o.Key.Name != "Idempotency-Key" || !o.Test || o.Line != 3 || o.Method != "POST" {
		t.Errorf("%+v", o)
	}
	if f.Contract.Name != "none" || f.Limits.Rate != 0 || f.Target != "http://127.0.0.1:8080" {
		t.Errorf("%+v", f)
	}
}

// TestDesign reads the example of the design.
func TestDesign(t *testing.T) {
	f := good(t, "design")
	if !f.Operations[0].Test || f.Operations[1].Test || f.Operations[1].Take["customer"] != "/id" {
		t.Errorf("under test: %+v", f.Operations)
	}
	if f.Contract.Name != "stripe, changed" || f.Contract.Claim != 30*time.Second || !f.Exclusive || len(f.Scopes) != 2 {
		t.Errorf("%+v", f)
	}
	if e := f.Effects[2]; e.Kind != "provider" || e.By != "id" || e.Provider.Listen != "127.0.0.1:9100" || !slices.Equal(e.Of, []string{"charge"}) {
		t.Errorf("%+v", e)
	}
	if f.Effects[0].Say != "Order ${id} was charged" || f.Effects[1].By != "id" || len(f.Rules) != 1 {
		t.Errorf("%+v", f.Effects)
	}
	want := []string{"alice-secret", "bob-secret", "sqlite:./shop.db", "tok-secret"}
	if got := slices.Sorted(slices.Values(f.Redact.Values)); !slices.Equal(got, want) {
		t.Errorf("secrets %q, want %q", got, want)
	}
}

func TestFull(t *testing.T) {
	f := good(t, "full")
	v := template.Vars{ID: "r-1", Key: "k", N: 7}
	for i, want := range []string{
		`{"z":1.50,"a":[true,null,-2e3,"5",7,"x7"],"nested":{"k":5}}`, `{"charge":"r-1"}`, `order=r-1&amount=5`, ``, ``,
	} {
		got, err := render(f.Operations[i].Body, v)
		if err != nil || digits(string(got)) != digits(want) {
			t.Errorf("body %d: %s %v, want %s", i, got, err, want)
		}
	}
	for i, want := range []string{"header X-Request", "body /idempotency_key", "query key", " ", " "} {
		if k := f.Operations[i].Key; k.In+" "+k.Name != want {
			t.Errorf("key %d: %s %s, want %s", i, k.In, k.Name, want)
		}
	}
	if l := f.Limits; l.Attempt != 3*time.Second || l.Attempts != 100 || l.Rate != 5.5 || l.Run != time.Minute || l.Settle != 2*time.Second {
		t.Errorf("%+v", l)
	}
	if c := f.Contract; c.Name != "payments" || !c.InFlight.Has("wait") || !c.Mismatch.Judged() {
		t.Errorf("%+v", c)
	}
	if e := f.Effects[1]; e.By != "key" || f.Effects[0].Expect != 2 || f.Effects[0].By != "key" || f.Target != "https://staging.shop.example/api" {
		t.Errorf("%+v", e)
	}
	if h := f.Operations[0].Headers; len(h) != 1 || !h[0].Anew {
		t.Errorf("%+v", h)
	}
}

// digits hides the digit that ${int 1 9} draws.
func digits(s string) string {
	for _, before := range []string{`"k":`, "amount="} {
		if i := strings.Index(s, before); i >= 0 {
			s = s[:i+len(before)] + "N" + s[i+len(before)+1:]
		}
	}
	return s
}

func TestRateOffLoopback(t *testing.T) {
	f, err := Parse("f", []byte("target: http://shop.example\noperations: {a: {send: POST /a}}\nallow: [shop.example]\n"), lookup)
	if err != nil || f.Limits.Rate != 50 {
		t.Errorf("%v %+v", err, f)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.8.7": true, "::1": true, "::ffff:127.0.0.1": true,
		"localhost.example": false, "128.0.0.1": false, "0.0.0.0": false, "": false, "::2": false, "127.0.0.1.nip.io": false, "0177.0.0.1": false,
	} {
		if isLoopback(host) != want {
			t.Errorf("isLoopback(%q) = %v", host, !want)
		}
	}
}

// FuzzParse: no text makes it panic, and what it takes can be rendered.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		files, _ := filepath.Glob("testdata/" + dir + "/*.yaml")
		for _, file := range files {
			b, _ := os.ReadFile(file)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Parse("f", b, lookup)
		if err != nil {
			return
		}
		for _, o := range file.Operations {
			v := template.Vars{ID: "x", Key: "y", Values: map[string]string{}}
			for name := range file.takes(o.Name) {
				v.Values[name] = "z"
			}
			if _, err := render(o.Body, v); err != nil {
				t.Errorf("body of %s: %v", o.Name, err)
			}
			if _, err := o.Path.Expand(v); err != nil {
				t.Errorf("path of %s: %v", o.Name, err)
			}
		}
	})
}
