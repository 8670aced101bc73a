package checkers

import (
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"pgregory.net/rapid"
)

func (b *book) atOnce(o history.Observer, id string) {
	b.add(history.Event{Kind: history.Moment, Name: o.Name, Op: id, Attrs: map[string]string{history.AttrAtOnce: "2"}})
}

func TestOneHolder(t *testing.T) {
	alone := card
	alone.OneAtATime = true
	both := func(b *book) {
		x, y := b.begin("r-1"), b.begin("r-1")
		b.atOnce(card, "r-1")
		b.effect(card, "r-1", 1)
		b.end(x, "201")
		b.end(y, "201")
	}
	stories(t, []story{
		{name: "two at once", obs: []history.Observer{alone}, rules: "one-holder", verdict: Fail, tell: both,
			want: "fail one-holder r-1: 2 calls of charge r-1 were in flight at card-charge at once. card-charge takes one at a time."},
		{name: "where nothing was said", obs: []history.Observer{card}, rules: "one-holder,at-most-once", tell: both, want: "note: 2 calls of charge r-1 were in flight"},
		{name: "two keys", obs: []history.Observer{alone}, rules: "one-holder,at-most-once", tell: func(b *book) {
			x := b.begin("r-1")
			y := b.begin("r-1", "key=other")
			b.atOnce(card, "r-1")
			b.effect(card, "r-1", 1)
			b.end(x, "201")
			b.end(y, "201")
		}, want: "they came under as many keys"},
		{name: "alone where nothing was said", obs: []history.Observer{card}, rules: "one-holder", verdict: Inconclusive, tell: both, want: "one-holder judges nothing"},
		{name: "one after the other", obs: []history.Observer{alone}, rules: "one-holder", tell: func(b *book) {
			b.try("r-1", "201")
			b.effect(card, "r-1", 1)
			b.try("r-1", "201")
		}},
		{name: "calls of two operations", obs: []history.Observer{alone}, rules: "one-holder", tell: func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-2")
			b.effect(card, "r-1", 1)
			b.effect(card, "r-2", 1)
			b.end(x, "201")
			b.end(y, "201")
		}},
	})
}

func TestBooksAgree(t *testing.T) {
	obs := []history.Observer{rows1, card}
	books := func(own, outside int) func(*book) {
		return func(b *book) {
			b.effect(rows1, "r-1", own)
			b.effect(card, "r-1", outside)
		}
	}
	tell := func(then func(*book), statuses ...string) func(*book) {
		return func(b *book) {
			for _, s := range statuses {
				b.try("r-1", s)
			}
			then(b)
		}
	}
	stories(t, []story{
		{name: "told refused, and charged", obs: obs, rules: "books-agree", verdict: Fail, tell: tell(books(0, 1), "500", "402"),
			want: "fail books-agree r-1: charge r-1 ended with 402: charge-row shows 0 effects of it, and card-charge 1 effect."},
		{name: "recorded, and not charged", obs: obs, rules: "books-agree", verdict: Fail, tell: tell(books(1, 0), "201"), want: "charge-row shows 1 effect of it, and card-charge 0 effects"},
		{name: "agreed", obs: obs, rules: "books-agree", tell: tell(books(1, 1), "reset", "201")},
		{name: "agreed on nothing", obs: obs, rules: "books-agree", tell: tell(books(0, 0), "402")},
		{name: "an unknown last word", obs: obs, rules: "books-agree", tell: tell(books(0, 1), "500")},
		{name: "a key that is old here, and known there", obs: obs, rules: "books-agree", tell: func(b *book) {
			b.try("r-1", "201")
			b.add(history.Event{Kind: history.Mark, Name: history.MarkAged, Op: "r-1", Attrs: map[string]string{"by": "25h"}})
			b.try("r-1", "201")
			books(2, 1)(b)
		}},
		{name: "versions of one state", obs: obs, rules: "books-agree", tell: func(b *book) {
			b.try("r-1", "201", history.AttrVersion+"=1")
			b.try("r-1", "201", history.AttrVersion+"=2")
			books(1, 2)(b)
		}},
		{name: "two keys of one state", obs: obs, rules: "books-agree", tell: func(b *book) {
			b.try("r-1", "201")
			b.try("r-1", "201", "key=other")
			books(1, 2)(b)
		}},
		{name: "a conflict is no last word", obs: obs, rules: "books-agree", tell: tell(books(0, 1), "500", "409")},
		{name: "twice as many are right", obs: []history.Observer{rows1, {Name: "card-charge", Kind: "provider", By: "id", Expect: 2}}, rules: "books-agree", tell: func(b *book) {
			b.in = history.CaseCalibration
			for _, id := range []string{"c-1-charge", "c-2-charge"} {
				b.effect(card, id, 2)
			}
			b.in = "story/charge"
			tell(books(1, 2), "201")(b)
		}, verdict: Inconclusive, want: "card-charge showed 1 effect"},
		{name: "only one book", rules: "books-agree", verdict: Inconclusive, want: "books-agree judges nothing", tell: tell(func(b *book) { b.seen("r-1", 1) }, "201")},
		{name: "not read after the end", obs: obs, rules: "books-agree", verdict: Inconclusive, want: "Not everything was read", tell: func(b *book) {
			books(1, 0)(b)
			b.try("r-1", "201")
		}},
	})
}

// The shortcut for operations that are plainly fine says the same as counting.
func TestOracleBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBook(rows1, card)
		b.open("x/charge")
		b.try("r-0", "201")
		b.seen("r-0", 1)
		last := ""
		for range rapid.IntRange(1, 4).Draw(t, "attempts") {
			last = rapid.SampledFrom([]string{"201", "402", "409", "429", "500", "reset"}).Draw(t, "status")
			b.try("r-1", last)
		}
		own, outside := rapid.IntRange(0, 2).Draw(t, "own"), rapid.IntRange(0, 2).Draw(t, "outside")
		b.effect(rows1, "r-1", own)
		b.effect(card, "r-1", outside)
		want := own != outside && (last == "201" || last == "402")
		r := Judge(b.done(), contract.Contract{Name: "none"}, BooksAgree)
		if got := r.Verdict() == Fail; got != want {
			t.Fatalf("got %v, want %v: %s", got, want, findings(r))
		}
	})
}
