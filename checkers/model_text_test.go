package checkers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// store begins a history of a register whose commands are in the bodies: "w x"
// writes x, "r x" was answered x.
func (b *book) command(id, what, status string) {
	e := b.begin(id, "name=command", "key=", "keyless=none", "body="+what)
	b.end(e, status)
}

func readAccess(a history.Attempt) (string, Access, bool) {
	verb, value, ok := strings.Cut(a.Begin.Body, " ")
	return "x", Access{Write: verb == "w", Value: value}, ok
}

func storeHistory(commands ...string) history.History {
	b := newBook(effect)
	b.in = "TestStore"
	b.mark(history.MarkCase, "", "operation=command")
	for i, c := range commands {
		what, status, _ := strings.Cut(c, ": ")
		b.command(fmt.Sprint("c-", i), what, status)
	}
	return b.done()
}

// TestModelTexts holds the texts of what is inconclusive and of searches.
func TestModelTexts(t *testing.T) {
	odd := Register
	odd.bounds = nil
	odd.Name = ""
	short := odd
	short.Limit = 2
	broken := odd
	broken.Step = func(string, Access, history.Kind) (string, bool) { panic("no idea") }
	many := []string{"w a: 201"}
	for range 30 {
		many = append(many, "r a: 200")
	}
	for name, tt := range map[string]struct {
		h    history.History
		m    Machine[string, Access]
		read func(history.Attempt) (string, Access, bool)
	}{
		"searched":  {storeHistory("w a: 201", "r a: 200", "w b: reset", "r b: 200", "r a: 200"), odd, readAccess},
		"long":      {storeHistory(append(many, "r b: 200", "r a: 200")...), odd, readAccess},
		"never":     {storeHistory("w a: 201", "r c: 200"), Register, readAccess},
		"limit":     {storeHistory("w a: 201", "r a: 200", "r b: 200"), short, readAccess},
		"panics":    {storeHistory("w a: 201", "r a: 200"), broken, readAccess},
		"no-looks":  {storeHistory("w a: 201", "w b: 201"), Register, readAccess},
		"no-reader": {storeHistory("w a: 201"), Register, func(history.Attempt) (string, Access, bool) { return "", Access{}, false }},
		"bad-reader": {storeHistory("w a: 201"), Register, func(a history.Attempt) (string, Access, bool) {
			return "", Access{}, a.End.Attrs[""][0] == 'x'
		}},
		"empty": {history.History{}, Register, readAccess},
	} {
		t.Run(name, func(t *testing.T) {
			to := &plainT{drawnT: drawnT{name: "TestStore"}}
			Model(to, tt.h, tt.m, tt.read)
			golden(t, "model-"+name, to.String())
		})
	}
}

// TestModelPicture keeps the picture and the history where the test keeps
// artefacts, and not over an older one.
func TestModelPicture(t *testing.T) {
	keepsArtefacts = func() bool { return true }
	defer func() { keepsArtefacts = keepsByFlag }()
	to := &plainT{drawnT: drawnT{name: "TestStore"}, dir: t.TempDir()}
	h := storeHistory("w a: 201", "r b: 200")
	for range 2 {
		Model(to, h, Register, readAccess)
	}
	for _, name := range []string{"model.html", "model-2.html", "history.jsonl", "history-2.jsonl"} {
		file := filepath.Join(to.dir, name)
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(to.String(), file) {
			t.Errorf("%v, or %s is not named in\n%s", err, file, to.String())
		}
		if strings.HasSuffix(name, ".html") && !regexp.MustCompile(`write .*a`).Match(text) {
			t.Errorf("%s shows no commands", name)
		}
	}
}

// TestModelMergesAttempts holds how the attempts of an operation become one
// command or many.
func TestModelMergesAttempts(t *testing.T) {
	b := newBook(effect)
	b.open("x/command")
	try := func(id, status string) { b.command(id, "w "+id, status) }
	try("late", "409")   // 2, 3: refused, so it happened later
	try("late", "reset") // 4, 5: perhaps here
	try("late", "201")   // 6, 7: at the latest
	try("late", "201")   // a repeat of what is done
	try("open", "timeout")
	try("no", "422")
	try("no", "422")
	b.command("look", "r late", "200")
	b.command("look", "r open", "200")
	b.command("look", "r open", "timeout")
	x := newIndex(b.done())
	objects := gather(Register, []Group{{Operations: x.ops}}, readAccess)
	var got []string
	for _, c := range objects[0].commands {
		got = append(got, fmt.Sprintf("%s %s %s tries %d", between(&c), c.op, describe(&c), c.tries))
	}
	want := []string{
		`4-7 late write "late" tries 4`,
		`10- open write "open" (unknown) tries 1`,
		`12-13 no write "no" (refused) tries 2`,
		`16-17 look read "late" tries 1`,
		`18-19 look read "open" tries 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestManyUnknown decides a thousand unknown writes to one register, seen and
// unseen, right and wrong.
func TestManyUnknown(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		var commands []string
		for i := range 1000 {
			commands = append(commands, fmt.Sprintf("w v%d: timeout", i))
			if i%10 == 0 {
				commands = append(commands, fmt.Sprintf("r v%d: 200", max(0, i-5)))
			}
		}
		if wrong {
			commands = append(commands, "r v0: 200")
		}
		to := &plainT{drawnT: drawnT{name: "TestStore"}}
		Model(to, storeHistory(commands...), Register, readAccess)
		if failed := to.Len() > 0; failed != wrong {
			t.Errorf("wrong %v: %s", wrong, to.String())
		}
	}
}

// TestModelShowsWhatItTells draws the object of the first sentence: the one that
// goes wrong without a fault.
func TestModelShowsWhatItTells(t *testing.T) {
	b := newBook(effect)
	b.in = "TestStore"
	b.mark(history.MarkCase, "", "operation=command")
	b.strike("repeat", "a")
	b.command("a", "r struck", "200")
	b.command("b", "r plain", "200")
	to := &plainT{drawnT: drawnT{name: "TestStore"}}
	Model(to, b.done(), Register, func(a history.Attempt) (string, Access, bool) {
		_, c, ok := readAccess(a)
		return a.Begin.Op, c, ok
	})
	text := to.String()
	if !strings.Contains(text, `register: b: read "plain"`) || !strings.Contains(text, `  read "plain"  b`) || strings.Contains(text, `  read "struck"  a`) {
		t.Error(text)
	}
}
