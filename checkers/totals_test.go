package checkers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// ruleStory is a story of one rule of the user.
type ruleStory struct {
	name string
	rule history.UserRule
	c    []string
	tell func(b *book)
	want string
	is   Verdict
}

// reading is a reading of a rule.
func (b *book) reading(rule, when string, rows ...string) { b.readingOf(rule, "", when, rows...) }

func (b *book) readingOf(rule, op, when string, rows ...string) {
	b.add(history.Event{Kind: history.State, Case: "rule/" + rule, Name: rule, Op: op, Count: len(rows), Body: strings.Join(rows, "\n"), Attrs: map[string]string{"when": when}})
}

func n(v string) string { return `{"n":` + v + `}` }

func TestTotals(t *testing.T) {
	conserved := history.UserRule{Name: "x", Kind: history.RuleConserved}
	bounded, within := history.UserRule{Name: "x", Kind: history.RuleBounded}, history.UserRule{Name: "x", Kind: history.RuleBounded, Within: true}
	agree := history.UserRule{Name: "x", Kind: history.RuleAgree, Outside: "card-charge", Sum: "/amount"}
	counted := history.UserRule{Name: "x", Kind: history.RuleCounted}
	between := func(first, last string, tell func(b *book)) func(b *book) {
		return func(b *book) {
			b.reading("x", "before", n(first))
			tell(b)
			b.reading("x", "after", n(last))
		}
	}
	ok := func(b *book) { b.try("r-1", "201") }
	charge := func(amount string) func(b *book) {
		return func(b *book) {
			ok(b)
			b.effect(card, "r-1", 1)
			b.h.Events[len(b.h.Events)-1].Attrs["sum./amount"] = amount
		}
	}
	then := func(tells ...func(b *book)) func(b *book) {
		return func(b *book) {
			for _, tell := range tells {
				tell(b)
			}
		}
	}
	read := func(when, value string) func(b *book) { return func(b *book) { b.reading("x", when, n(value)) } }
	repeated := func(b *book) {
		b.try("r-1", "201", one)
		b.try("r-1", "201", one) // suppressed
		b.try("r-2", "reset")
		b.try("r-2", "201", two) // perhaps
	}
	for _, s := range []ruleStory{
		{"conserved", conserved, nil, between("100", "100.00", ok), "", Pass},
		{"not conserved", conserved, nil, between("100", "99.5", ok), "The total was 100 before the run and is 99.5 after it.", Fail},
		{"a text is conserved", conserved, nil, between(`"a"`, `"a"`, ok), "", Pass},
		{"nothing to conserve", conserved, nil, between("null", "null", ok), "it adds up nothing", Inconclusive},
		{"nothing happened", conserved, nil, between("1", "1", func(b *book) { b.try("r-1", "402") }), "No operation was accepted", Inconclusive},
		{"never read after", conserved, nil, then(read("before", "1"), ok), "The total was not read after the run", Inconclusive},
		{"two values", conserved, nil, then(func(b *book) { b.reading("x", "before", `{"a":1,"b":2}`) }, ok, read("after", "1")), "one row with one value", Inconclusive},
		{"two rows", conserved, nil, then(func(b *book) { b.reading("x", "before", n("1"), n("2")) }, ok, read("after", "1")), "one row with one value", Inconclusive},

		{"bounded", bounded, nil, then(between("3", "5", ok), read("alive", "5"), read("aged", "3")), "", Pass},
		{"kept for ever", within, nil, then(between("3", "5", ok), read("alive", "5"), read("aged", "5")), "still 5 after all keys were aged past their life", Fail},
		{"kept for long, nothing stated", bounded, nil, then(between("3", "5", ok), read("aged", "5")), "Say  within:", Inconclusive},
		{"no growth", bounded, nil, then(between("3", "3", ok), read("aged", "3")), "did not grow", Inconclusive},
		{"a living key is taken", bounded, nil, then(between("3", "4", ok), read("alive", "3"), read("aged", "3")), "The sweep took records of keys that were alive", Fail},
		{"a key that its case had aged before", bounded, nil, then(between("3", "4", then(ok, func(b *book) { b.mark(history.MarkAged, "r-1", "by=20h") })), read("alive", "3"), read("aged", "3")), "", Pass},
		{"a failure need not be kept", bounded, nil, then(between("3", "5", then(ok, func(b *book) { b.try("r-2", "500") })), read("alive", "4"), read("aged", "3")), "", Pass},
		{"never aged", bounded, nil, between("3", "4", ok), "not read after ageing past the life", Inconclusive},
		{"no number", bounded, nil, between(`"a"`, `"b"`, ok), "must return a number", Inconclusive},

		{"books agree", agree, nil, between("null", "12.5", charge("12.50")), "", Pass},
		{"books differ", agree, nil, between("10", "20", charge("12.5")), "The total grew by 10, and card-charge saw 12.5 in the same time.", Fail},
		{"books may be under way", agree, nil, between("10", "10", then(charge("5"), func(b *book) { b.try("r-1", "reset") })), "may be under way", Inconclusive},
		{"no books", agree, nil, between("10", "10", ok), "card-charge saw nothing", Inconclusive},
		{"no number outside", agree, nil, between("10", "20", charge("many")), `has no number at /amount, but "many"`, Inconclusive},

		{"counted", counted, nil, between("5", "6", repeated), "", Pass},
		{"counted the doubtful one too", counted, nil, between("5", "7", repeated), "", Pass},
		{"not counted", counted, nil, between("5", "5", repeated), "The count grew by 0; 1 operation was sent again and accepted one after the other, and 2 at most", Fail},
		{"counted too often", counted, nil, between("5", "8", repeated), "The count grew by 3", Fail},
		{"nothing to count", counted, nil, between("5", "5", ok), "Nothing was sent again", Inconclusive},
		{"no such metric", counted, nil, between("null", "null", repeated), "is not there", Inconclusive},
		{"restarted", counted, nil, between("5", "1", repeated), "The count fell", Inconclusive},
	} {
		t.Run(s.name, s.run)
	}
}

func (s ruleStory) run(t *testing.T) {
	b := newBook(rows1, card)
	b.h.Header.Rules = []history.UserRule{s.rule}
	b.open("plain/charge", "separation")
	s.tell(b)
	for _, c := range Judge(b.done(), stated(t, s.c...)).Cases {
		if c.Name != "rule/x" {
			continue
		}
		got := fmt.Sprint(c.Violations)
		if c.Verdict != s.is || !strings.Contains(got, s.want) || s.want == "" && len(c.Violations) > 0 {
			t.Errorf("%s, want %s %q: %s", c.Verdict, s.is, s.want, got)
		}
		return
	}
	t.Error("the rule has no case")
}

func TestSameState(t *testing.T) {
	row := func(id, status, amount string) string {
		return `{"ref":"` + id + `-x","status":"` + status + `","amount":` + amount + `}`
	}
	same := history.UserRule{Name: "x", Kind: history.RuleSame}
	clean := func(b *book) {
		for _, id := range []string{"r-1", "r-2"} {
			b.try(id, "201")
			b.readingOf("x", id, "after", row(id, "paid", id[2:]))
		}
	}
	repeat := func(rows ...string) func(b *book) {
		return func(b *book) {
			clean(b)
			b.try("r-3", "reset")
			b.try("r-3", "201")
			b.readingOf("x", "r-3", "after", rows...)
		}
	}
	for _, s := range []ruleStory{
		{"the same", same, nil, repeat(row("r-3", "paid", "77")), "", Pass},
		{"another status", same, nil, repeat(row("r-3", "open", "77")), "charge r-3 was repeated and has other rows than charge r-1, which was sent once: [ref ${id}-x, status open] instead of [ref ${id}-x, status paid]", Fail},
		{"a second row", same, nil, repeat(row("r-3", "paid", "77"), row("r-3", "paid", "78")), "has other rows", Fail},
		{"no row", same, nil, repeat(), "none instead of", Fail},
		{"the last reading counts", same, nil, func(b *book) {
			repeat(row("r-3", "open", "77"))(b)
			b.readingOf("x", "r-3", "after", row("r-3", "paid", "77"))
		}, "", Pass},
		{"nothing was repeated", same, nil, clean, "No rows were compared", Inconclusive},
		{"the query finds nothing", same, nil, func(b *book) {
			b.try("r-1", "201")
			b.readingOf("x", "r-1", "after")
			b.try("r-3", "201")
			b.try("r-3", "201")
			b.readingOf("x", "r-3", "after")
		}, "does the query look in the right place", Inconclusive},
		{"other payloads, keys and tenants are not compared", same, nil, func(b *book) {
			for i, what := range []string{"variant=/amount", "key=other", "scope=bob", "value=zero", "version=2"} {
				id := fmt.Sprint("r-", 10+i)
				b.try(id, "201", strings.Replace(what, "key=other", "x=1", 1))
				b.try(id, "201", what)
				b.readingOf("x", id, "after", row(id, "odd", "1"))
			}
			repeat(row("r-3", "paid", "77"))(b)
		}, "", Pass},
	} {
		t.Run(s.name, s.run)
	}
}
