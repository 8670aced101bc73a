package checkers

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"pgregory.net/rapid"
)

// state is a reading that shows a version.
func (b *book) state(o history.Observer, id, version string) {
	b.effect(o, id, 1)
	b.h.Events[len(b.h.Events)-1].Attrs[history.AttrVersion] = version
}

// version is an attempt of one version of an entity, under a key of its own.
func (b *book) version(id string, n int, status string) {
	body := []string{"", `{"status":"active","at":7}`, `{"status":"cancelled","at":7}`, `{"status":"gone","at":7}`}[n]
	b.try(id, status, "key=k"+strconv.Itoa(n), "version="+strconv.Itoa(n), "body="+body)
}

func TestNoStepBack(t *testing.T) {
	stories(t, []story{
		{name: "an older one overwrites", rules: "no-step-back", verdict: Fail, want: "charge-row of charge r-1 was at version 2, and went back to version 1.", tell: func(b *book) {
			b.version("r-1", 2, "200")
			b.state(rows1, "r-1", "cancelled")
			b.version("r-1", 1, "200")
			b.state(rows1, "r-1", "active")
		}},
		{name: "seen only at the end", rules: "no-step-back", verdict: Fail, want: "charge-row shows version 1 of charge r-1, although version 2 was acknowledged (200).", tell: func(b *book) {
			b.version("r-1", 2, "200")
			b.version("r-1", 1, "200")
			b.state(rows1, "r-1", "1")
		}},
		{name: "the older is ignored", rules: "no-step-back", tell: func(b *book) {
			b.version("r-1", 2, "200")
			b.state(rows1, "r-1", "2")
			b.version("r-1", 1, "200")
			b.state(rows1, "r-1", "2")
		}},
		{name: "the older is refused", rules: "no-step-back", tell: func(b *book) {
			b.version("r-1", 2, "200")
			b.version("r-1", 1, "409")
			b.state(rows1, "r-1", "cancelled")
		}},
		{name: "the newer was never acknowledged", rules: "no-step-back", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.version("r-1", 2, "reset")
			b.state(rows1, "r-1", "1")
		}},
		{name: "not read after", rules: "no-step-back", verdict: Inconclusive, want: "was not read after the last answer", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.state(rows1, "r-1", "1")
			b.version("r-1", 2, "200")
		}},
		{name: "not settled", rules: "no-step-back", verdict: Inconclusive, want: "still changing", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.version("r-1", 2, "200")
			b.state(rows1, "r-1", "1")
			b.mark(history.MarkSettled, "r-1", "stable=false")
		}},
		{name: "no version is shown", rules: "no-step-back", verdict: Inconclusive, want: "No observer shows which version of charge is in force", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.version("r-1", 2, "200")
			b.seen("r-1", 1)
		}},
		{name: "a version nobody sent", rules: "no-step-back", verdict: Inconclusive, want: `shows version "7" of charge r-1`, tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.version("r-1", 2, "200")
			b.state(rows1, "r-1", "7")
		}},
	})
}

func TestOrderKept(t *testing.T) {
	obs := []history.Observer{card}
	stories(t, []story{
		{name: "overtaken", obs: obs, rules: "order-kept", verdict: Fail, want: "card-charge saw version 2 of charge r-1 before version 1, although version 1 was acknowledged", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.version("r-1", 2, "200")
			b.state(card, "r-1", "2")
			b.state(card, "r-1", "1")
		}},
		{name: "in order", obs: obs, rules: "order-kept", tell: func(b *book) {
			b.version("r-1", 1, "200")
			b.state(card, "r-1", "active")
			b.version("r-1", 2, "200")
			b.state(card, "r-1", "cancelled")
		}},
		{name: "sent the other way round", obs: obs, rules: "order-kept", tell: func(b *book) {
			b.version("r-1", 2, "200")
			b.state(card, "r-1", "2")
			b.version("r-1", 1, "200")
			b.state(card, "r-1", "1")
		}},
		{name: "under way together", obs: obs, rules: "order-kept", tell: func(b *book) {
			one := b.begin("r-1", "version=1", "key=k1", "body={}")
			two := b.begin("r-1", "version=2", "key=k2", "body={}")
			b.end(one, "200")
			b.end(two, "200")
			b.state(card, "r-1", "2")
			b.state(card, "r-1", "1")
		}},
	})
}

// Both rules against oracles that look at every pair.
func TestOracleVersions(t *testing.T) {
	for _, o := range []history.Observer{rows1, card} {
		rapid.Check(t, func(t *rapid.T) {
			b := newBook(o)
			b.open("x/charge")
			type sent struct{ n, begin, ok int }
			var tries []sent
			var seen []int
			for range rapid.IntRange(2, 8).Draw(t, "steps") {
				n := rapid.IntRange(1, 3).Draw(t, "version")
				if rapid.Bool().Draw(t, "reading") && len(tries) > 0 && oneOf(tries, func(s sent) bool { return s.n == n }) {
					b.state(o, "r-1", strconv.Itoa(n))
					seen = append(seen, n)
					continue
				}
				s := sent{n: n, begin: len(b.h.Events) + 1}
				status := rapid.SampledFrom([]string{"200", "409", "reset"}).Draw(t, "status")
				b.version("r-1", n, status)
				if status == "200" {
					s.ok = len(b.h.Events)
				}
				tries = append(tries, s)
			}
			b.mark(history.MarkSettled, "r-1", "stable=true")
			want := false
			for i, x := range seen {
				for _, y := range seen[i+1:] {
					want = want || x > y && (o.Kind == "sql" || ordered(tries, func(s sent) (int, int, int) { return s.n, s.begin, s.ok }, y, x))
				}
			}
			if o.Kind == "sql" && len(seen) > 0 {
				for _, s := range tries {
					want = want || s.ok > 0 && s.n > seen[len(seen)-1]
				}
			}
			if !oneOf(tries, func(s sent) bool { return s.n != tries[0].n }) {
				want = false
			}
			rule := NoStepBack
			if o.Kind != "sql" {
				rule = OrderKept
			}
			r := Judge(b.done(), contract.Contract{Name: "none"}, rule)
			if got := r.Verdict() == Fail; got != want {
				t.Fatalf("%s: got %v, want %v: %s\n%s", rule.Name, got, want, findings(r), fmt.Sprint(tries, seen))
			}
		})
	}
}

func oneOf[T any](all []T, is func(T) bool) bool {
	for _, x := range all {
		if is(x) {
			return true
		}
	}
	return false
}

// ordered reports whether the first ok of older came before the first attempt of newer.
func ordered[T any](all []T, of func(T) (n, begin, ok int), older, newer int) bool {
	ok, begin := 0, 0
	for _, x := range all {
		n, b, o := of(x)
		if n == older && o > 0 && ok == 0 {
			ok = o
		}
		if n == newer && begin == 0 {
			begin = b
		}
	}
	return ok > 0 && begin > 0 && ok < begin
}
