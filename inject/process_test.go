package inject_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// firstOfEach strikes the first delivery of each message.
func firstOfEach(f inject.Fault) inject.Options {
	return inject.Options{Faults: []inject.Fault{f}, Schedule: func(s inject.Site) []inject.Fault {
		if s.Name == inject.SiteMessage && s.Attempt == 1 {
			return []inject.Fault{f}
		}
		return nil
	}}
}

// book is a file to which lines are added.
type book string

func (b book) add(line string) error {
	f, err := os.OpenFile(string(b), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

func (b book) lines() []string {
	text, _ := os.ReadFile(string(b))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (b book) count(line string) (n int) {
	for _, l := range b.lines() {
		if l == line {
			n++
		}
	}
	return n
}

// A worker that charges, and then notes in a file that it did.
func notesAfter(b book, effect func(string)) func(context.Context, string) error {
	return func(_ context.Context, id string) error {
		if b.count("noted "+id) > 0 {
			return nil
		}
		if err := b.add("charged " + id); err != nil {
			return err
		}
		effect(id)
		return b.add("noted " + id)
	}
}

// No step follows a kill, however often: what comes after the effect is done by
// the second process only.
func TestProcessKilledAfterEffect(t *testing.T) {
	times := 30
	if os.Getenv("IDEMCHECK_LONG") == "1" {
		times = 200
	}
	run := firstOfEach(inject.KillAfter).Start(t)
	dir := t.TempDir()
	work := run.Process(dir, func(dir string) func(context.Context, string) error {
		b := book(filepath.Join(dir, "book"))
		if err := b.add(fmt.Sprint("begun ", os.Getpid())); err != nil {
			t.Fatal(err)
		}
		return notesAfter(b, run.Effect)
	})
	var ids []string
	for id := range run.IDs(times) {
		ids = append(ids, id)
	}
	run.Queue(ids...).Consume(work)
	b, want := book(filepath.Join(dir, "book")), 0
	for _, id := range ids {
		if charged, noted := b.count("charged "+id), b.count("noted "+id); charged != 2 || noted != 1 {
			t.Errorf("%s was charged %d times and noted %d times", id, charged, noted)
		}
		want += 3
	}
	if n := len(b.lines()) - want; n < times || n > times+1 {
		t.Errorf("%d processes for %d kills", n, times)
	}
	r := checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce)
	if r.Verdict() != checkers.Fail || r.Faults != times {
		t.Errorf("%s, %d faults: %v", r.Verdict(), r.Faults, reasons(r))
	}
}

// Copies that overlap meet in the process, too.
func TestProcessOverlap(t *testing.T) {
	run := firstOfEach(inject.Overlap).Start(t)
	work := run.Process(t.TempDir(), func(dir string) func(context.Context, string) error {
		return notesAfter(book(filepath.Join(dir, "book")), run.Effect)
	})
	run.Queue("a-1", "a-2", "a-3").Consume(work)
	r := checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce)
	if r.Verdict() != checkers.Fail || len(r.Cases[0].Violations) != 3 {
		t.Errorf("%s: %v", r.Verdict(), reasons(r))
	}
}

// What a process says of its end reaches the test.
func TestProcessEndsByItself(t *testing.T) {
	run := inject.Start(t)
	work := run.Process("", func(string) func(context.Context, string) error {
		return func(_ context.Context, id string) error {
			switch id {
			case "panics":
				panic("no such " + id)
			case "exits":
				fmt.Println("that is all")
				os.Exit(3)
			case "fails":
				return errors.New("not today")
			}
			return nil
		}
	})
	for id, want := range map[string]string{"panics": "panic: no such panics", "exits": "exit status 3: connection reset by peer; it printed:\nthat is all", "fails": "not today", "": ""} {
		err := work(t.Context(), id)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "read tcp: ", ""), want)) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
		if id != "fails" && id != "" && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: %v", id, err)
		}
	}
	_ = run.History()
}

// Two workers of one test are two processes.
func TestProcesses(t *testing.T) {
	run := inject.Start(t)
	say := func(arg string) func(context.Context, string) error {
		return func(_ context.Context, id string) error { return fmt.Errorf("%s %s %d", arg, id, os.Getpid()) }
	}
	one, two := run.Process("one", say), run.Process("two", say)
	a, b := one(t.Context(), "x").Error(), two(t.Context(), "y").Error()
	if !strings.HasPrefix(a, "one x ") || !strings.HasPrefix(b, "two y ") || a[6:] == b[6:] || strings.HasSuffix(a, fmt.Sprint(os.Getpid())) {
		t.Error(a, b)
	}
}

// A process that does not come to its Process says so.
func TestProcessNeverReady(t *testing.T) {
	run := inject.Start(t)
	if os.Getenv("IDEMCHECK_PROCESS") != "" {
		t.Fatal("it turned away")
	}
	work := run.Process("", func(string) func(context.Context, string) error { return nil })
	err := work(t.Context(), "x")
	if err == nil || !strings.Contains(err.Error(), "before it came to the same call") || !strings.Contains(err.Error(), "it turned away") {
		t.Error(err)
	}
}

// reasons is what a report says.
func reasons(r checkers.Report) (all []string) {
	all = r.Problems
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			all = append(all, fmt.Sprint(v.Verdict, " ", v.Rule, " ", v.Reason))
		}
	}
	return all
}
