package checkers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"
)

var update = flag.Bool("update", false, "accept the texts as they are")

var (
	_ TB = testing.TB(nil)
	_ TB = (*rapid.T)(nil)
)

// drawnT is a test that keeps what it is told, as *rapid.T looks from here.
type drawnT struct {
	name string
	strings.Builder
}

func (t *drawnT) Helper()                    {}
func (t *drawnT) Name() string               { return t.name }
func (t *drawnT) Logf(f string, args ...any) { fmt.Fprintf(t, "LOG\n"+f+"\n", args...) }
func (t *drawnT) Errorf(f string, args ...any) {
	fmt.Fprintf(t, "ERROR\n"+f+"\n", args...)
}

// plainT looks as *testing.T does.
type plainT struct {
	drawnT
	dir string
}

func (t *plainT) ArtifactDir() string { return t.dir }

var effect = history.Observer{Name: "effect", Kind: hook, By: "id"}

// inProcess begins a history as a run in a Go test records it.
func inProcess(armed ...string) *book {
	b := newBook(effect)
	b.h.Header.Seed, b.h.Header.Target = 7, "TestOneChargePerOrder"
	b.in = "TestOneChargePerOrder"
	b.mark(history.MarkCase, "", "operation=order")
	for _, f := range armed {
		b.mark(history.MarkArmed, "", "fault="+f)
	}
	return b
}

func (b *book) order(n int, what ...string) history.Event {
	return b.begin("order-"+itoa(n), append([]string{"name=order", "key=", "keyless=none"}, what...)...)
}

func (b *book) strike(fault, op string) {
	b.add(history.Event{Kind: history.Fault, Name: fault, Op: op, Actor: "inject"})
}

func (b *book) happens(id string, total int) {
	b.add(history.Event{Kind: history.Effect, Name: effect.Name, Op: id, Count: total, Actor: "system"})
}

// pay is an attempt that took effect for the nth time.
func (b *book) pay(n, total int, status string, what ...string) {
	x := b.order(n)
	b.happens("order-"+itoa(n), total)
	b.end(x, status, what...)
}

// twice is an order that overlapping copies charged twice.
func (b *book) twice(n int) {
	id := "order-" + itoa(n)
	b.strike("overlap", id)
	x, y := b.order(n, "together=1"), b.order(n, "together=1")
	b.happens(id, 1)
	b.happens(id, 2)
	b.end(x, "201", `{"charge":"ch_1"}`)
	b.end(y, "201", `{"charge":"ch_2"}`)
}

var failures1 = map[string]struct {
	tell  func() history.History
	rules []Rule
}{
	"twice": {func() history.History {
		b := inProcess("overlap")
		b.pay(1, 1, "201")
		for _, n := range []int{4, 8, 13} {
			b.twice(n)
		}
		return b.done()
	}, []Rule{ExactlyOnce, NoLostEffect}},
	"lost": {func() history.History {
		b := inProcess("lose-answer")
		b.pay(1, 1, "201")
		x := b.order(2)
		b.strike("lose-answer", "order-2")
		b.end(x, "reset")
		b.end(b.order(2), "201")
		return b.done()
	}, []Rule{ExactlyOnce}},
	"refused": {func() history.History {
		b := inProcess()
		b.pay(1, 1, "402")
		return b.done()
	}, []Rule{AtMostOnce, RefusedNoEffect}},
	"answer": {func() history.History {
		b := inProcess("repeat", "overlap")
		for n := 1; n < 4; n++ {
			b.pay(n, 1, "201", fmt.Sprintf(`{"charge_id":"ch_%d","at":"2026-03-01T12:00:0%dZ"}`, n, n))
			b.strike("repeat", "order-"+itoa(n))
			b.end(b.order(n), "201", fmt.Sprintf(`{"charge_id":"ch_%d","at":"2026-03-01T12:00:1%dZ"}`, n+n/2-n/3*n/2, n))
		}
		b.strike("overlap", "order-4")
		b.pay(4, 1, "201", `{"charge_id":"ch_4"}`)
		return b.done()
	}, []Rule{ExactlyOnce, SameAnswer}},
	"not-fired": {func() history.History {
		b := inProcess("overlap", "late")
		b.pay(1, 1, "201")
		return b.done()
	}, []Rule{ExactlyOnce}},
	"no-effect": {func() history.History {
		b := inProcess()
		b.end(b.order(1), "201")
		return b.done()
	}, []Rule{ExactlyOnce}},
	"nothing-sent": {func() history.History { return inProcess().done() }, []Rule{ExactlyOnce}},
	"empty":        {func() history.History { return history.History{} }, nil},
	"unended": {func() history.History {
		b := inProcess()
		b.pay(1, 1, "201")
		return b.h
	}, []Rule{ExactlyOnce}},
	"idle-rule": {func() history.History {
		b := inProcess()
		b.pay(1, 1, "201")
		return b.done()
	}, []Rule{ExactlyOnce, SameAnswer}},
	"incomparable": {func() history.History {
		b := inProcess()
		b.pay(1, 1, "201", `{"status":"made"}`)
		b.end(b.order(1), "201", `{"status":"was there"}`)
		return b.done()
	}, []Rule{ExactlyOnce, SameAnswer}},
	"several": {func() history.History {
		b := inProcess("overlap", "late")
		b.twice(1)
		b.twice(2)
		b.end(b.order(3), "201")
		b.pay(4, 1, "422")
		return b.done()
	}, []Rule{ExactlyOnce, RefusedNoEffect, SameAnswer}},
}

// TestFailureTexts holds every text that a failed test shows.
func TestFailureTexts(t *testing.T) {
	for name, tt := range failures1 {
		t.Run(name, func(t *testing.T) {
			plain, drawn := &plainT{drawnT: drawnT{name: "TestOneChargePerOrder/some case"}}, &drawnT{name: "TestDrawn"}
			Verify(plain, tt.tell(), tt.rules...)
			Verify(drawn, tt.tell(), tt.rules...)
			golden(t, name, plain.String()+"---- drawn\n"+drawn.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "verify", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.ReplaceAll(string(want), "\r\n", "\n"); w != got {
		t.Errorf("got\n%swant\n%s", got, w)
	}
}
