package proxy

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// No sixty seconds hold more duplicates than the budget, whenever they begin.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget{limit: 10, now: time.Now}
		var taken []time.Time
		for range 400 {
			if b.take() {
				taken = append(taken, time.Now())
			}
			time.Sleep(700 * time.Millisecond)
		}
		for i, from := range taken {
			n := 0
			for _, at := range taken[i:] {
				if at.Sub(from) < 59*time.Second {
					n++
				}
			}
			if n > 10 {
				t.Fatalf("%d within 59 s", n)
			}
		}
		if len(taken) < 40 || b.used() > 10 {
			t.Errorf("%d in 280 s, %d used", len(taken), b.used())
		}
		time.Sleep(24 * time.Hour)
		if b.used() != 0 || !b.take() {
			t.Error("a day later the budget is still used up")
		}
	})
}

// feed lets n requests pass in one second, bad of them failed.
func feed(b *breaker, n, bad int) {
	for i := range n {
		b.passed(i < bad)
	}
	time.Sleep(time.Second)
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []bool
		b := &breaker{now: time.Now, change: func(open bool, _ rates) { told = append(told, open) }}
		for range 20 {
			feed(b, 10, 0)
		}
		if !b.allow() {
			t.Fatal("closed, and nothing may be struck")
		}
		feed(b, 10, 0)
		if feed(b, 100, 1); b.isOpen() {
			t.Fatal("one error in a hundred opened it")
		}
		feed(b, 100, 90)
		if !b.isOpen() || b.allow() || len(told) != 1 {
			t.Fatalf("open %v, told %v", b.isOpen(), told)
		}
		time.Sleep(breakerOpen)
		ok := 0
		for range 10 {
			if b.allow() {
				ok++
			}
		}
		if ok != 5 || len(told) != 2 {
			t.Fatalf("half open it allowed %d of 10, told %v", ok, told)
		}
		time.Sleep(breakerHalf)
		if first, second := b.allow(), b.allow(); !first || !second {
			t.Fatal("it did not close")
		}
	})
}

// A service that always fails a part of its requests is struck like any other,
// once it is known to do so.
func TestBreakerKnowsTheUsual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{now: time.Now}
		for range 60 {
			feed(b, 10, 3)
			b.allow()
		}
		for range 30 {
			feed(b, 10, 3)
			b.allow()
		}
		if b.isOpen() {
			t.Error("it opened for what is usual here")
		}
		feed(b, 100, 95)
		feed(b, 100, 95)
		if !b.isOpen() {
			t.Error("it stayed closed when nearly all failed")
		}
	})
}

// A half-open breaker opens again at once when errors go on.
func TestBreakerOpensAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{now: time.Now}
		time.Sleep(time.Hour)
		feed(b, 100, 0)
		b.allow()
		feed(b, 40, 40)
		for range 5 {
			if !b.isOpen() {
				t.Fatal("it is not open")
			}
			time.Sleep(breakerOpen)
			b.allow()
			feed(b, 40, 40)
		}
	})
}

func TestToggle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "off")
	var told []bool
	s := toggle{file: file, change: func(on bool, _ string) { told = append(told, on) }}
	s.look()
	if !s.on() {
		t.Fatal("off without a file")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s.look(); s.on() || s.why() == "" {
		t.Fatal("on with the file")
	}
	s.set(true) // a signal does not overrule the file
	if s.on() {
		t.Fatal("on with the file, by a signal")
	}
	s.set(false)
	os.Remove(file)
	if s.look(); s.on() {
		t.Fatal("the signal was forgotten")
	}
	if s.set(true); !s.on() || len(told) != 2 {
		t.Errorf("on %v, told %v", s.on(), told)
	}
}
