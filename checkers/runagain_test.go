package checkers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

func TestTestArgs(t *testing.T) {
	for _, tt := range []struct{ name, pkg, want string }{
		{"TestPay", "shop.example/pay", "-run '^TestPay$' shop.example/pay"},
		{"TestPay/a.b/it's", "", `-run '^TestPay$/^a\.b$/^it'\''s$'`},
		{"BenchmarkPay", "p", "-run '^$' -bench '^BenchmarkPay$' p"},
		{"FuzzPay/seed#0", "p", "-run '^FuzzPay$/^seed#0$' p"},
	} {
		if got := testArgs(tt.name, tt.pkg); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSelectsItself holds the pattern against the names that go test makes.
func TestSelectsItself(t *testing.T) {
	for _, name := range []string{"with blanks (and more)", "a|b", `back\slash`, "x", "x"} {
		t.Run(name, func(t *testing.T) {
			args := strings.Split(strings.Trim(strings.TrimPrefix(testArgs(t.Name(), ""), "-run "), "'"), "/")
			for i, part := range strings.Split(t.Name(), "/") {
				if !regexp.MustCompile(args[i]).MatchString(part) {
					t.Errorf("%s does not select %s", args[i], part)
				}
			}
		})
	}
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"shop.example/pay.TestPay":            "shop.example/pay",
		"shop.example/pay_test.TestPay.func1": "shop.example/pay",
		"gopkg.in/yaml%2ev3.TestPay":          "gopkg.in/yaml.v3",
		"shop.example/pay.(*suite).TestPay":   "shop.example/pay",
		"pay.TestPay":                         "pay",
		"command-line-arguments.TestPay":      "",
		"command-line-arguments_test.TestPay": "",
		"shop.example/pay.check[...].func1":   "shop.example/pay",
		"shop.example/a_test/b_test.TestPay":  "shop.example/a_test/b",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
	if got := testPackage(); got != "github.com/idemcheck/idemcheck/checkers" {
		t.Errorf("this package is %q", got)
	}
	t.Run("in a part", func(t *testing.T) {
		if got := testPackage(); got != "github.com/idemcheck/idemcheck/checkers" {
			t.Errorf("this package is %q", got)
		}
	})
}

// TestDrawnTests tells a test that draws from a plain one by what it has.
func TestDrawnTests(t *testing.T) {
	if _, ok := any(t).(artefacts); !ok {
		t.Error("*testing.T has no artefacts")
	}
	rapid.Check(t, func(t *rapid.T) {
		if _, ok := any(t).(artefacts); ok {
			t.Error("*rapid.T has artefacts: its text would be printed twice as a whole")
		}
	})
}

// TestKeptHistories judges what a test keeps: it alone gives the same verdict for
// the same reasons.
func TestKeptHistories(t *testing.T) {
	keepsArtefacts = func() bool { return true }
	defer func() { keepsArtefacts = keepsByFlag }()
	for name, tt := range failures1 {
		to := &plainT{drawnT: drawnT{name: name}, dir: t.TempDir()}
		Verify(to, tt.tell(), tt.rules...)
		f, err := os.Open(filepath.Join(to.dir, "history.jsonl"))
		if name == "empty" {
			if err == nil {
				t.Error("an empty history was kept")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		want, got := Judge(tt.tell(), contract.Contract{}, tt.rules...), JudgeOwn(h, contract.Contract{}, nil)
		if got.Verdict() != want.Verdict() || findings(got) != findings(want) {
			t.Errorf("%s: %s\n%swant %s\n%s", name, got.Verdict(), findings(got), want.Verdict(), findings(want))
		}
	}
}

// TestKeepsOnlyWhatItIsAsked writes nothing where go test was not told to keep it,
// and says what the command does not know.
func TestKeepsOnlyWhatItIsAsked(t *testing.T) {
	own := Rule{Name: "mine", Group: func(Group) []Violation { return []Violation{{Rule: "mine", Verdict: Fail, Reason: "No."}} }}
	to := &plainT{drawnT: drawnT{name: "x"}, dir: t.TempDir()}
	Verify(to, failures1["twice"].tell(), own)
	if files, _ := os.ReadDir(to.dir); len(files) > 0 {
		t.Errorf("%d files", len(files))
	}
	keepsArtefacts = func() bool { return true }
	defer func() { keepsArtefacts = keepsByFlag }()
	Verify(to, failures1["twice"].tell(), own, AtMostOnce)
	if !strings.Contains(to.String(), "not mine") {
		t.Error(to.String())
	}
	to.dir = filepath.Join(to.dir, "not", "there")
	Verify(to, failures1["twice"].tell(), own)
	if !strings.Contains(to.String(), "history: not kept: ") {
		t.Error(to.String())
	}
}
