package checkers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestBounds(t *testing.T) {
	b := newBook(rows1)
	b.open("x/charge")
	b.try("r-1", "reset")
	b.try("r-1", "201")
	b.try("r-1", "reset", "key=other")
	b.try("r-1", "422", "key=third")
	b.seen("r-1", 2)
	c := stated(t)
	g := indexed(b.done(), &c)[0]
	if lower, upper, seen := g.Bounds("charge-row"); lower != 1 || upper != 2 || seen != 2 {
		t.Errorf("%d to %d, seen %d; want 1 to 2, seen 2", lower, upper, seen)
	}
	if lower, upper, seen := g.Bounds("nobody"); lower+upper+seen != 0 {
		t.Error("bounds of an observer that is not there")
	}
}

// TestNamesThatShareAKey judges each operation by the observers that count for
// its name, though a key joins them.
func TestNamesThatShareAKey(t *testing.T) {
	of := func(name string) history.Observer {
		return history.Observer{Name: name + "-row", Kind: "sql", By: "id", Of: []string{name}}
	}
	charge, refund := of("charge"), of("refund")
	for refunds, want := range []Verdict{Fail, Pass, Fail} {
		b := newBook(charge, refund)
		for _, o := range []history.Observer{charge, refund} {
			b.in = history.CaseCalibration
			id := "c-" + o.Name
			b.try(id, "201", "name="+o.Of[0])
			b.effect(o, id, 1)
		}
		b.open("other/refund", "exactly-once")
		b.open("shared/charge", "exactly-once")
		b.try("r-1", "201", "key=k")
		b.try("r-2", "201", "key=k", "name=refund")
		b.effect(charge, "r-1", 1)
		b.effect(refund, "r-2", refunds)
		c := Judge(b.done(), stated(t)).Cases[1]
		if c.Verdict != want {
			t.Errorf("%d refunds: %s, want %s: %+v", refunds, c.Verdict, want, c.Violations)
		}
	}
}

// TestManyOperations is judged in parts, at the same time.
func TestManyOperations(t *testing.T) {
	const n = 25_000
	b := newBook(rows1)
	b.open("x/charge")
	for i := range n {
		id := fmt.Sprint("r-", i)
		b.try(id, "201")
		b.seen(id, 1+i%10_000/9_999)
	}
	r := Judge(b.done(), stated(t))
	if got := strings.Count(findings(r), "took effect 2 times"); got != 2 || r.Verdict() != Fail {
		t.Errorf("%d of 2 found\n%s", got, findings(r))
	}
}

// TestHotOperation takes the slow ways through every rule on one operation: they
// are linear, or this does not end.
func TestHotOperation(t *testing.T) {
	b := newBook(rows1, byKey1)
	b.calibrate("charge")
	b.open("x/charge")
	b.try("r-1", "201", one)
	for i := range 30_000 {
		x := b.begin("r-1")
		y := b.begin("r-1", fmt.Sprint("raw=", i))
		b.end(x, "409")
		b.end(y, "201", one)
		b.try("r-1", "422", fmt.Sprint("key=k", i))
	}
	b.seen("r-1", 1)
	c := stated(t, "replay=verbatim", "in_flight=409", "mismatch=422", "claim=1s", "fingerprint=raw")
	if r := Judge(b.done(), c); r.Verdict() != Pass {
		t.Error(findings(r)[:200])
	}
}
