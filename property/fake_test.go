package property_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "accept the texts as they are")

// fake is a test that keeps what it was told.
type fake struct {
	name string

	mu      sync.Mutex
	failed  bool
	skipped bool
	lines   []string
}

var (
	_ rapid.TB = (*fake)(nil)
	_ rapid.TB = (*testing.T)(nil)
	_ rapid.TB = (*testing.B)(nil)
	_ rapid.TB = (*testing.F)(nil)
	_ rapid.TB = (*rapid.T)(nil)
)

// try runs a test as the testing package would.
func try(name string, test func(t rapid.TB)) *fake {
	f := &fake{name: name}
	done := make(chan bool)
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return f
}

func (f *fake) say(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, s)
}

func (f *fake) Helper()                   {}
func (f *fake) Name() string              { return f.name }
func (f *fake) Logf(s string, a ...any)   { f.say(fmt.Sprintf(s, a...)) }
func (f *fake) Log(a ...any)              { f.say(fmt.Sprint(a...)) }
func (f *fake) Errorf(s string, a ...any) { f.Logf(s, a...); f.Fail() }
func (f *fake) Error(a ...any)            { f.Log(a...); f.Fail() }
func (f *fake) Fatalf(s string, a ...any) { f.Logf(s, a...); f.FailNow() }
func (f *fake) Fatal(a ...any)            { f.Log(a...); f.FailNow() }
func (f *fake) Skipf(s string, a ...any)  { f.Logf(s, a...); f.SkipNow() }
func (f *fake) Skip(a ...any)             { f.Log(a...); f.SkipNow() }
func (f *fake) FailNow()                  { f.Fail(); runtime.Goexit() }

func (f *fake) SkipNow() {
	f.mu.Lock()
	f.skipped = true
	f.mu.Unlock()
	runtime.Goexit()
}

func (f *fake) Fail() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = true
}

func (f *fake) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

var (
	took = regexp.MustCompile(`\(\d[\d.]*(ns|µs|ms|s)\)`)
	when = regexp.MustCompile(`(?m)^ +(\d+(?:\.\d)?|ms) +(client|system|idemcheck|actor)`)
	mid  = regexp.MustCompile(`(?m)^  t  .*\n`)
)

// text is all that the test was told, without what differs from run to run.
func (f *fake) text() string {
	s := took.ReplaceAllString(strings.Join(f.lines, "\n")+"\n", "(1ms)")
	return when.ReplaceAllString(s, "  t  $2")
}

// untold is the text without the events of its timeline, for those that happen
// at once and in any order.
func (f *fake) untold() string { return mid.ReplaceAllString(f.text(), "") }

// sentence is the failure without what rapid says around it, or "pass".
func (f *fake) sentence() string {
	if !f.failed {
		return "pass"
	}
	for _, l := range f.lines {
		if _, after, ok := strings.Cut(l, " tests: "); ok {
			l, _, _ = strings.Cut(after, "\n")
			return l
		}
	}
	return f.text()
}

// golden holds a text against the one that was accepted.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}
