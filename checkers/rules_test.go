package checkers

import (
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// story is one handwritten history with what must be found in it.
type story struct {
	name     string
	contract []string
	obs      []history.Observer // default: charge-row
	rules    string
	tell     func(b *book)
	want     string // part of the findings; "" means pass with nothing found
	verdict  Verdict
}

func (s story) run(t *testing.T) {
	obs := s.obs
	if obs == nil {
		obs = []history.Observer{rows1}
	}
	b := newBook(obs...)
	b.calibrate("charge")
	b.open("story/charge", strings.Split(s.rules, ",")...)
	s.tell(b)
	r := Judge(b.done(), stated(t, s.contract...))
	got, verdict := findings(r), s.verdict
	if verdict == "" {
		verdict = Pass
	}
	if v := r.Verdict(); v != verdict || !strings.Contains(got, s.want) || s.want == "" && got != "" {
		t.Errorf("%s, want %s with %q:\n%s", v, verdict, s.want, got)
	}
}

func stories(t *testing.T, all []story) {
	for _, s := range all {
		t.Run(s.name, s.run)
	}
}

func TestAtMostOnce(t *testing.T) {
	twice := func(b *book) {
		b.try("r-1", "201")
		b.try("r-1", "201")
		b.seen("r-1", 2)
	}
	stories(t, []story{
		{name: "twice", rules: "at-most-once", tell: twice, verdict: Fail,
			want: "fail at-most-once r-1: charge r-1 took effect 2 times at charge-row. 1 was allowed."},
		{name: "in the user's words", rules: "at-most-once", obs: []history.Observer{card}, tell: twice, verdict: Fail,
			want: "Order r-1 was charged 2 times at card-charge. 1 was allowed."},
		{name: "once", rules: "at-most-once", tell: func(b *book) {
			b.try("r-1", "reset")
			b.try("r-1", "201")
			b.seen("r-1", 1)
		}},
		{name: "unknown may have had one", rules: "exactly-once", tell: func(b *book) {
			b.try("r-1", "reset")
			b.seen("r-1", 1)
			b.try("r-2", "reset")
			b.seen("r-2", 0)
			b.try("r-3", "reset")
			b.try("r-3", "409")
			b.seen("r-3", 1)
		}},
		{name: "never read", rules: "at-most-once", verdict: Inconclusive, want: "charge-row was not read after the last answer",
			tell: func(b *book) { b.seen("r-1", 1); b.try("r-1", "201") }},
		{name: "a settled mark stands for a reading", rules: "exactly-once", tell: func(b *book) {
			f := b.begin("r-1")
			b.seen("r-1", 1)
			b.end(f, "201")
			b.mark(history.MarkSettled, "r-1", "stable=true")
		}},
		{name: "still changing", rules: "at-most-once", verdict: Inconclusive, want: "still changing", tell: func(b *book) {
			b.try("r-1", "201")
			b.seen("r-1", 1)
			b.mark(history.MarkSettled, "r-1", "stable=false")
		}},
		{name: "two keys are two operations to the service", rules: "at-most-once", want: "note: charge r-1 took effect 2 times at charge-row, under different keys", tell: func(b *book) {
			b.try("r-1", "201")
			b.try("r-1", "201", "key=other")
			b.seen("r-1", 2)
		}},
		{name: "unless the id alone must protect", rules: "at-most-once", verdict: Fail, want: "1 was allowed",
			obs: []history.Observer{{Name: "charge-row", Kind: "sql", By: "id", Unique: "id"}}, tell: func(b *book) {
				b.try("r-1", "201")
				b.try("r-1", "201", "key=other")
				b.seen("r-1", 2)
			}},
		{name: "a dropped key is its own", rules: "at-most-once", want: "under different keys", tell: func(b *book) {
			b.try("r-1", "201")
			b.try("r-1", "201", "key=", "keyless=dropped")
			b.seen("r-1", 2)
		}},
		{name: "an operation without keys has its id", rules: "at-most-once", verdict: Fail, want: "1 was allowed", tell: func(b *book) {
			b.try("r-1", "201", "key=", "keyless=none")
			b.try("r-1", "201", "key=", "keyless=none")
			b.seen("r-1", 2)
		}},
		{name: "an accepted variant where the contract is silent", rules: "at-most-once", want: "note: charge r-1 took effect 2 times", tell: variantTwice},
		{name: "an accepted variant where it is refused", rules: "at-most-once", contract: []string{"mismatch=422"}, verdict: Fail, want: "1 was allowed", tell: variantTwice},
		{name: "an accepted variant that executes", rules: "at-most-once", contract: []string{"mismatch=execute"}, tell: variantTwice},
		{name: "a re-encoded repeat is no variant", rules: "at-most-once", verdict: Fail, want: "1 was allowed", tell: func(b *book) {
			b.try("r-1", "201")
			b.try("r-1", "201", "raw=other")
			b.seen("r-1", 2)
		}},
		{name: "aged past its life, runs as new", rules: "at-most-once", contract: []string{"life=24h", "after_life=new"}, tell: aged("24h")},
		{name: "aged within its life", rules: "at-most-once", contract: []string{"life=24h", "after_life=new"}, tell: aged("12h"), verdict: Fail, want: "1 was allowed"},
		{name: "aged, rejects", rules: "at-most-once", contract: []string{"life=24h", "after_life=reject"}, tell: aged("25h"), verdict: Fail, want: "1 was allowed"},
		{name: "aged, nothing said", rules: "at-most-once", tell: aged("25h"), want: "not judged"},
		{name: "by key", rules: "exactly-once", obs: []history.Observer{byKey1}, verdict: Fail, want: "took effect 2 times at key-row", tell: twice},
		{name: "by key, one hides the other", rules: "at-most-once", obs: []history.Observer{byKey1}, verdict: Fail, want: "under the key k2", tell: func(b *book) {
			b.try("r-1", "201", "key=k1")
			b.try("r-1", "422", "key=k2")
			b.effect(byKey1, "k1", 0)
			b.effect(byKey1, "k2", 1)
		}},
		{name: "foreign effects", rules: "exactly-once", tell: func(b *book) {
			b.try("r-1", "201")
			b.seen("r-1", 1)
			b.effect(rows1, "z-9", 7)
			b.effect(rows1, "", 7)
		}},
		{name: "expect two", rules: "exactly-once", obs: []history.Observer{{Name: "rows", Kind: "sql", By: "id", Expect: 2}}, verdict: Inconclusive,
			want: "rows showed 1 effect for c-1-charge, 2 were expected", tell: func(b *book) { b.try("r-1", "201"); b.seen("r-1", 2) }},
	})
}

func variantTwice(b *book) {
	b.try("r-1", "201")
	b.try("r-1", "201", "variant=/amount", "payload=other", "raw=other")
	b.seen("r-1", 2)
}

func aged(by string) func(b *book) {
	return func(b *book) {
		b.try("r-1", "201")
		b.mark(history.MarkAged, "", "by="+by)
		b.try("r-1", "201")
		b.seen("r-1", 2)
	}
}

func TestNoLostEffect(t *testing.T) {
	other := func(read bool) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", "scope=alice", "key=k")
			b.try("r-1", "201", "scope=bob", "key=k")
			b.seen("r-1", 1)
		}
	}
	stories(t, []story{
		{name: "lost", rules: "no-lost-effect", obs: []history.Observer{card}, verdict: Fail,
			want: "Order r-1 was charged 0 times at card-charge, although the service answered 201. Nothing came within 10 s.", tell: func(b *book) {
				b.try("r-1", "500")
				b.try("r-1", "201")
				b.effect(card, "r-1", 0)
				b.mark(history.MarkSettled, "r-1", "waited=10s")
			}},
		{name: "accepted, and refused by the provider later", rules: "no-lost-effect", want: "and the provider refused it later", tell: refusedAfter("202")},
		{name: "done, and refused by the provider", rules: "no-lost-effect", verdict: Fail, want: "the service answered 201", tell: refusedAfter("201")},
		{name: "not read", rules: "no-lost-effect", verdict: Inconclusive, want: "was not read", tell: func(b *book) { b.try("r-1", "201") }},
		{name: "still changing", rules: "no-lost-effect", verdict: Inconclusive, want: "still changing", tell: func(b *book) {
			b.try("r-1", "201")
			b.seen("r-1", 0)
			b.mark(history.MarkSettled, "r-1", "stable=false")
		}},
		{name: "refused", rules: "no-lost-effect", tell: func(b *book) { b.try("r-1", "402"); b.seen("r-1", 0) }},
		{name: "a live observer at the end of the run", rules: "no-lost-effect", obs: []history.Observer{card}, verdict: Fail, want: "0 times",
			tell: func(b *book) { b.try("r-1", "201") }},
		{name: "two scopes add up", rules: "no-lost-effect", verdict: Fail, want: "took effect 1 time at charge-row, although the service answered 201. 2 were expected.", tell: other(true)},
		{name: "by key, hidden behind another's double", rules: "exactly-once", obs: []history.Observer{byKey1}, verdict: Fail, want: "r-2 took effect 0 times", tell: func(b *book) {
			b.try("r-1", "201", "key=k1")
			b.try("r-1", "reset", "key=k2")
			b.try("r-2", "422", "key=k2")
			b.try("r-2", "201", "key=k3")
			b.effect(byKey1, "k1", 1)
			b.effect(byKey1, "k2", 1)
			b.effect(byKey1, "k3", 0)
		}},
	})
}

func TestScopesThatAnObserverReports(t *testing.T) {
	for _, tt := range []struct {
		name, alice, bob string
		na, nb           int
		want             Verdict
	}{
		{"one each", "alice", "bob", 1, 1, Pass},
		{"both at one", "alice", "bob", 2, 0, Fail},
		{"in words of its own", "t_1", "t_2", 1, 1, Pass},
		{"in words of its own, one lost", "t_1", "t_2", 1, 0, Fail},
	} {
		b := newBook(rows1)
		b.calibrate("charge")
		b.open("x/charge", "exactly-once")
		b.try("r-1", "201", "scope=alice", "key=k")
		b.try("r-1", "201", "scope=bob", "key=k")
		b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Scope: tt.alice, Count: tt.na})
		b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Scope: tt.bob, Count: tt.nb})
		if r := Judge(b.done(), stated(t)); r.Verdict() != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.name, r.Verdict(), tt.want, findings(r))
		}
	}
}

func TestRefusedNoEffect(t *testing.T) {
	stories(t, []story{
		{name: "an effect", rules: "", verdict: Fail, want: "fail refused-no-effect r-1: charge r-1 took effect 1 time at charge-row, although every attempt was refused.",
			tell: func(b *book) { b.try("r-1", "402"); b.try("r-1", "402"); b.seen("r-1", 1) }},
		{name: "none", rules: "refused-no-effect", tell: func(b *book) { b.try("r-1", "402"); b.seen("r-1", 0) }},
		{name: "not read", rules: "refused-no-effect", verdict: Inconclusive, want: "not read", tell: func(b *book) { b.try("r-1", "402") }},
		{name: "unknown before", verdict: Inconclusive, want: "Nothing was judged", rules: "refused-no-effect", tell: func(b *book) { b.try("r-1", "reset"); b.try("r-1", "402"); b.seen("r-1", 1) }},
	})
}

const one, two = `{"id":"ch_1","status":"paid"}`, `{"id":"ch_2","status":"paid"}`

func TestSameAnswer(t *testing.T) {
	repeat := func(first string, a string, again string, more ...string) func(b *book) {
		return func(b *book) {
			b.try("r-1", first, a, "header.location=/charges/ch_1")
			b.try("r-1", again, more...)
		}
	}
	lingering := func(b *book) {
		b.try("r-1", "reset")
		b.try("r-1", "201", one)
		b.try("r-1", "409", "at=1s")
	}
	blocked := func(until string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "409", "at="+until)
			b.try("r-1", "201", one, "at=1m")
		}
	}
	at := []string{"replay=verbatim"}
	stories(t, []story{
		{name: "another id, nothing promised", rules: "same-answer", tell: repeat("201", one, "201", two), verdict: Inconclusive, want: "was answered 201 ch_1, and its identical repeat 201 ch_2"},
		{name: "another id", rules: "same-answer", contract: at, tell: repeat("201", one, "201", two), verdict: Fail, want: "fail same-answer r-1: charge r-1 was answered 201 ch_1, and its identical repeat 201 ch_2. The contract says: replay verbatim."},
		{name: "verbatim", rules: "same-answer", contract: at, tell: repeat("201", one, "201", one, "header.location=/charges/ch_1")},
		{name: "verbatim lost its location", rules: "same-answer", contract: at, tell: repeat("201", one, "201", one), verdict: Fail, want: "replay verbatim"},
		{name: "200 for 201 is not verbatim", rules: "same-answer", contract: at, tell: repeat("201", one, "200", one, "header.location=/charges/ch_1"), verdict: Fail, want: "replay verbatim"},
		{name: "remapped", rules: "same-answer", contract: []string{"replay=remapped"}, tell: repeat("201", one, "200", one)},
		{name: "current", rules: "same-answer", contract: []string{"replay=current"}, tell: repeat("201", one, "200", `{"id":"ch_1","status":"settled"}`)},
		{name: "current of another", rules: "same-answer", contract: []string{"replay=current"}, tell: repeat("201", one, "200", two), verdict: Fail, want: "ch_2"},
		{name: "conflict", rules: "same-answer", contract: []string{"replay=conflict"}, tell: repeat("201", one, "409", `{"existing":"ch_1"}`)},
		{name: "conflict in the location", rules: "same-answer", contract: []string{"replay=conflict"}, tell: repeat("201", one, "409", "header.location=/charges/ch_1")},
		{name: "conflict that names nothing", rules: "same-answer", contract: []string{"replay=conflict"}, tell: repeat("201", one, "409", `{"error":"conflict"}`), verdict: Fail, want: "refused (409)"},
		{name: "accepted", rules: "same-answer", contract: []string{"replay=accepted"}, tell: repeat("201", one, "202", two)},
		{name: "refused, nothing promised", rules: "same-answer", tell: repeat("201", one, "422"), verdict: Inconclusive, want: "its identical repeat was refused (422)"},
		{name: "409, nothing promised", rules: "same-answer", tell: repeat("201", one, "409")},
		{name: "refused", rules: "same-answer", contract: at, tell: repeat("201", one, "409", "at=1s"), verdict: Fail, want: "its identical repeat was refused (409)"},
		{name: "refused, and in_flight does not name it", rules: "same-answer", contract: []string{"replay=verbatim", "in_flight=wait"}, tell: repeat("201", one, "409"), verdict: Fail, want: "was refused (409)"},
		{name: "in flight just after the answer", rules: "same-answer", contract: at, tell: repeat("201", one, "409"), verdict: Inconclusive, want: "refused (409) 1 ms later. It was not tried again later"},
		{name: "in flight just after the answer, then replayed", rules: "same-answer", contract: at, want: "the mark of the first was released late", tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "409")
			b.try("r-1", "201", one, "at=1s")
		}},
		{name: "in flight within the claim, then replayed", rules: "same-answer", contract: []string{"replay=verbatim", "claim=2s"}, want: "the mark of the first was released late", tell: blocked("2s")},
		{name: "in flight beyond the claim, then replayed", rules: "same-answer", contract: []string{"replay=verbatim", "claim=2s"}, verdict: Fail, want: "its identical repeat was refused (409)", tell: blocked("10s")},
		{name: "in flight for long, no claim stated, then replayed", rules: "same-answer", contract: at, verdict: Inconclusive, want: "contract.claim, to have it judged", tell: blocked("10s")},
		{name: "refused, replay none", rules: "same-answer", contract: []string{"replay=none"}, tell: repeat("201", one, "422"), want: "note: charge r-1 was accepted (201), and its identical repeat was refused (422)."},
		{name: "deleted, and nothing left", rules: "same-answer", contract: at, want: "found nothing to delete (404)", tell: func(b *book) {
			b.try("r-1", "204", "key=", "keyless=none", "request=DELETE /charges/r-1")
			b.try("r-1", "404", "key=", "keyless=none", "request=DELETE /charges/r-1")
		}},
		{name: "remapped to another place", rules: "same-answer", contract: []string{"replay=remapped"}, tell: repeat("201", one, "201", one, "header.location=/charges/ch_2"), verdict: Fail, want: "replay remapped"},
		{name: "429 is about the caller", rules: "same-answer", contract: at, tell: repeat("201", one, "429")},
		{name: "409 while an earlier try may still run", rules: "same-answer", contract: at, tell: lingering},
		{name: "409 when no try can still run", rules: "same-answer", contract: []string{"replay=verbatim", "claim=1ns"}, tell: lingering, verdict: Fail, want: "refused (409)"},
		{name: "nothing but errors", rules: "same-answer", contract: at, tell: series("201", "500", "500", "500"), verdict: Fail,
			want: "and each of its 3 repeats was answered with a server error (500). The contract says: replay "},
		{name: "nothing but errors, nothing promised", rules: "same-answer", tell: series("201", "500", "500", "500"), verdict: Inconclusive, want: "each of its 3 repeats"},
		{name: "errors for a while", rules: "same-answer", contract: at, tell: series("201", "500", "500", "500", "201"), want: "note: "},
		{name: "a 500 is no refusal", rules: "same-answer", contract: at, tell: repeat("201", one, "500"), want: "note: charge r-1 was accepted (201), and its repeat was answered 500."},
		{name: "after its life", rules: "same-answer", contract: []string{"replay=verbatim", "life=24h"}, tell: func(b *book) {
			b.try("r-1", "201", one)
			b.mark(history.MarkAged, "r-1", "by=25h")
			b.try("r-1", "201", two)
		}},
		{name: "after its life, where it rejects", rules: "same-answer", contract: []string{"replay=verbatim", "life=24h", "after_life=reject"}, tell: func(b *book) {
			b.try("r-1", "201", one)
			b.mark(history.MarkAged, "", "by=24h")
			b.try("r-1", "412")
		}},
		{name: "aged within its life", rules: "same-answer", contract: []string{"replay=verbatim", "life=24h"}, verdict: Fail, want: "ch_2", tell: func(b *book) {
			b.try("r-1", "201", one)
			b.mark(history.MarkAged, "", "by=12h")
			b.try("r-1", "201", two)
		}},
		{name: "overlapping copies agree", rules: "same-answer", contract: at, verdict: Fail, want: "an overlapping copy of it 201 ch_2", tell: func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1")
			b.end(x, "201", one)
			b.end(y, "201", two)
		}},
		{name: "an overlapping copy may be refused", verdict: Inconclusive, want: "Nothing was judged", rules: "same-answer", contract: at, tell: func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1")
			b.end(x, "409")
			b.end(y, "201", one)
		}},
		{name: "re-encoded, by document", rules: "same-answer", contract: []string{"replay=verbatim", "fingerprint=canonical"}, tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "422", "raw=other")
		}, verdict: Fail, want: "refused (422)"},
		{name: "re-encoded, by bytes", rules: "same-answer", contract: []string{"replay=verbatim", "fingerprint=raw"}, want: "note: charge r-1 was accepted (201); the same document written in another way was refused (422).", tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "422", "raw=other")
		}},
		{name: "another key is another request", verdict: Inconclusive, want: "Nothing was judged", rules: "same-answer", contract: at, tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "201", two, "key=other")
			b.try("r-1", "201", `{"id":"ch_3"}`, "key=", "keyless=dropped")
		}},
		{name: "a marker", rules: "same-answer", contract: []string{"replay=verbatim", "marker=Idempotent-Replayed: true"}, verdict: Fail, want: "not marked Idempotent-Replayed: true",
			tell: repeat("201", one, "201", one, "header.location=/charges/ch_1")},
		{name: "a marker that is there", rules: "same-answer", contract: []string{"replay=verbatim", "marker=Idempotent-Replayed: true"},
			tell: repeat("201", one, "201", one, "header.location=/charges/ch_1", "header.idempotent-replayed=true")},
	})
}

// An answer that is nothing but a place says what it is about by that place.
func TestCurrentWithNothingButALocation(t *testing.T) {
	for place, want := range map[string]Verdict{"/charges/1": Pass, "/charges/2": Inconclusive} {
		b := newBook(rows1)
		b.open("x/charge", "same-answer")
		b.try("r-1", "303", "header.location=/charges/1")
		b.try("r-1", "303", "header.location="+place)
		if r := Judge(b.done(), stated(t, "replay=current")); r.Verdict() != want {
			t.Errorf("%s: %s, want %s\n%s", place, r.Verdict(), want, findings(r))
		}
	}
}

func TestChangedPayloadRefused(t *testing.T) {
	variant := func(status string, answer ...string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", status, append(answer, "variant=/amount", "payload=other", "raw=other")...)
		}
	}
	control := func(status string, tell func(b *book)) func(b *book) {
		return func(b *book) {
			tell(b)
			b.try("r-2", status, "variant=/amount", "payload=third", "raw=third")
		}
	}
	overlapping := func(status string, answer ...string) func(b *book) {
		return func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1", "variant=/amount", "payload=other", "raw=other")
			b.end(x, "201", one)
			b.end(y, status, answer...)
		}
	}
	at := []string{"mismatch=422"}
	stories(t, []story{
		{name: "refused", rules: "changed-payload-refused", contract: at, tell: variant("422")},
		{name: "replayed", rules: "changed-payload-refused", contract: at, tell: variant("201", one), verdict: Fail,
			want: "charge r-1 was sent again with another amount under the same key and was shown the answer to the first (201). The contract says: mismatch 422."},
		{name: "shown the answer while the first ran", rules: "changed-payload-refused", contract: at, tell: overlapping("201", one), verdict: Fail,
			want: "was shown the answer to the first (201)"},
		{name: "refused while the first ran", rules: "changed-payload-refused", contract: at, tell: overlapping("409", "{}")},
		{name: "carried out", rules: "changed-payload-refused", contract: at, tell: variant("201", two), verdict: Fail, want: "was accepted (201)"},
		{name: "refused otherwise", rules: "changed-payload-refused", contract: at, tell: variant("409"), verdict: Fail, want: "was refused with 409"},
		{name: "refused, the control accepted", rules: "changed-payload-refused", contract: at, tell: control("201", variant("422"))},
		{name: "refused, and so was the control", rules: "changed-payload-refused", contract: at, tell: control("422", variant("422")), verdict: Inconclusive, want: "but so was a fresh operation with that field changed (422)"},
		{name: "refused otherwise, and so was the control", rules: "changed-payload-refused", contract: at, tell: control("400", variant("409")), verdict: Inconclusive, want: "was refused (409), but so was"},
		{name: "carried out, the control refused", rules: "changed-payload-refused", contract: at, tell: control("422", variant("201", two)), verdict: Fail, want: "was accepted (201)"},
		{name: "replayed, and the field is not compared", rules: "changed-payload-refused", contract: append(at, "fingerprint=/order"), tell: variant("201", one)},
		{name: "replayed, and the field is compared", rules: "changed-payload-refused", contract: append(at, "fingerprint=/order,/amount"), tell: variant("201", one), verdict: Fail, want: "was shown the answer to the first (201)"},
		{name: "carried out, and the field is not compared", rules: "changed-payload-refused", contract: append(at, "fingerprint=/order"), tell: variant("201", two), verdict: Fail, want: "was accepted (201)"},
		{name: "replayed, and no field is seen to be compared", rules: "changed-payload-refused", contract: append(at, "fingerprint=fields"), tell: variant("201", one), verdict: Fail, want: "was shown the answer to the first (201)"},
		{name: "replayed, and another field is compared", rules: "changed-payload-refused", contract: append(at, "fingerprint=fields"), want: "note: charge r-1 was sent again with another amount", tell: func(b *book) {
			variant("201", one)(b)
			b.try("r-3", "201", two)
			b.try("r-3", "422", "variant=/order", "payload=other", "raw=other")
		}},
		{name: "replayed, where services may choose", rules: "changed-payload-refused", contract: append(at, "fingerprint=raw,fields"), tell: variant("201", one), verdict: Fail, want: "was shown the answer to the first (201)"},
		{name: "any refusal", rules: "changed-payload-refused", contract: []string{"mismatch=reject"}, tell: variant("400")},
		{name: "replay", rules: "changed-payload-refused", contract: []string{"mismatch=replay"}, tell: variant("201", one)},
		{name: "replay of another", rules: "changed-payload-refused", contract: []string{"mismatch=replay"}, tell: variant("201", two), verdict: Fail, want: "accepted"},
		{name: "execute", rules: "changed-payload-refused", contract: []string{"mismatch=execute"}, tell: variant("201", two)},
		{name: "nothing promised", verdict: Inconclusive, want: "Nothing was judged", rules: "changed-payload-refused", tell: variant("201", two)},
		{name: "no answer", rules: "changed-payload-refused", contract: at, tell: variant("500"), verdict: Inconclusive, want: "ended with 500: not judged"},
		{name: "rate limit", rules: "changed-payload-refused", contract: at, tell: variant("429"), verdict: Inconclusive, want: "not judged"},
		{name: "a new timestamp is no variant", verdict: Inconclusive, want: "Nothing was judged", rules: "changed-payload-refused", contract: at, tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "201", one, "payload=other", "raw=other")
		}},
	})
}

func TestOverlapAnswer(t *testing.T) {
	pair := func(status string, what ...string) func(b *book) {
		return func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1")
			b.end(y, status, what...)
			b.end(x, "201", one)
		}
	}
	at := []string{"in_flight=409"}
	stories(t, []story{
		{name: "409", rules: "overlap-answer", contract: at, tell: pair("409")},
		{name: "422", rules: "overlap-answer", contract: at, tell: pair("422"), verdict: Fail, want: "An overlapping copy of charge r-1 was answered 422. The contract says: in_flight 409."},
		{name: "500", rules: "overlap-answer", contract: at, tell: pair("500"), verdict: Fail, want: "answered 500"},
		{name: "502: what it calls was away", rules: "overlap-answer", contract: at, tell: pair("502")},
		{name: "504", rules: "overlap-answer", contract: at, tell: pair("504")},
		{name: "reset", rules: "overlap-answer", contract: at, tell: pair("reset")},
		{name: "429", rules: "overlap-answer", contract: at, tell: pair("429")},
		{name: "accepted too", rules: "overlap-answer", contract: at, tell: pair("201", one)},
		{name: "nothing promised", verdict: Inconclusive, want: "Nothing was judged", rules: "overlap-answer", tell: pair("422")},
		{name: "without Retry-After", rules: "overlap-answer", contract: []string{"in_flight=409", "signals=Retry-After"}, tell: pair("409"), verdict: Fail, want: "without Retry-After"},
		{name: "with Retry-After", rules: "overlap-answer", contract: []string{"in_flight=409", "signals=Retry-After"}, tell: pair("409", "header.retry-after=1")},
		{name: "refused alike", rules: "overlap-answer", contract: at, tell: func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1")
			b.end(x, "402")
			b.end(y, "402")
		}},
		{name: "one after the other", verdict: Inconclusive, want: "Nothing was judged", rules: "overlap-answer", contract: at, tell: func(b *book) { b.try("r-1", "201"); b.try("r-1", "422") }},
	})
}

// sameOrder sends one order from two tenants; both are answered alike.
func sameOrder(effects int) func(b *book) {
	return func(b *book) {
		b.try("r-1", "201", "scope=alice", `{"id":"ch_1"}`)
		b.try("r-1", "201", "scope=bob", `{"id":"ch_1"}`)
		b.seen("r-1", effects)
	}
}

func TestSeparation(t *testing.T) {
	otherScope := func(status, answer string, n int) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", one, "scope=alice", "key=k")
			b.try("r-2", status, answer, "scope=bob", "key=k")
			b.seen("r-1", 1)
			b.seen("r-2", n)
		}
	}
	sameBody := func(status, answer string, n int) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", one, "body={}")
			b.try("r-2", status, answer, "body={}")
			b.seen("r-1", 1)
			b.seen("r-2", n)
		}
	}
	stories(t, []story{
		{name: "each its own", rules: "separation", tell: otherScope("201", two, 1)},
		{name: "another's answer", rules: "separation", tell: otherScope("201", one, 1), verdict: Fail, want: "fail separation r-2: charge r-2 of bob was answered 201 ch_1, which belongs to charge r-1 of alice."},
		{name: "a number made from the order, for each", rules: "separation", want: "note: charge r-1 of alice and charge r-1 of bob were answered alike", tell: sameOrder(2)},
		{name: "a number made from the order, for one", rules: "separation", verdict: Fail, want: "belongs to charge r-1 of alice", tell: sameOrder(1)},
		{name: "swallowed", rules: "separation", tell: otherScope("201", two, 0), verdict: Fail, want: "although the service answered 201. Nothing came. It was taken for charge r-1 of alice."},
		{name: "refused, by the account", rules: "separation", tell: otherScope("409", "{}", 0), want: "note: charge r-2 of bob was refused (409) after charge r-1 of alice had been accepted"},
		{name: "refused even alone", rules: "separation", verdict: Inconclusive, want: "so was charge r-0 of bob, which has nothing in common", tell: func(b *book) {
			b.try("r-0", "403", "{}", "scope=bob", "key=own", "body=[]")
			otherScope("403", "{}", 0)(b)
		}},
		{name: "the like accepted alone", rules: "separation", want: "note: charge r-2 of bob was refused (422)", tell: func(b *book) {
			b.try("r-0", "201", two, "scope=bob", "key=own", "body=[]")
			otherScope("422", "{}", 0)(b)
			b.seen("r-0", 1)
		}},
		{name: "the key alone", rules: "separation", contract: []string{"scope=key"}, tell: otherScope("201", one, 0), want: "note: "},
		{name: "same body", rules: "separation", tell: sameBody("201", two, 1)},
		{name: "same body, merged", rules: "separation", tell: sameBody("201", one, 0), verdict: Fail, want: "belongs to charge r-1"},
		{name: "same body, refused", rules: "separation", tell: sameBody("409", "{}", 0), want: "note: "},
		{name: "same body, refused though the key tells them apart", rules: "separation", contract: []string{"scope=key"}, tell: sameBody("409", "{}", 0), verdict: Fail, want: "was refused (409)"},
		{name: "strangers", rules: "separation", tell: func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-2", "201", two)
			b.try("r-3", "402")
			b.seen("r-1", 1)
			b.seen("r-2", 1)
			b.seen("r-3", 0)
		}},
	})
}

func TestProgress(t *testing.T) {
	tries := func(n int, seen int, statuses ...string) func(b *book) {
		return func(b *book) {
			for i, s := range statuses {
				at := (1 + i) * 1000 / (len(statuses) - 1)
				b.end(b.begin("r-1", "at="+itoa(at)+"ms"), s, "at="+itoa(at+1)+"ms")
			}
			b.seen("r-1", seen)
		}
	}
	kept := func(b *book) {
		f := b.begin("r-1")
		b.add(history.Event{Kind: history.Fault, Name: "fail", Op: "r-1"})
		b.end(f, "500", "{}")
		b.try("r-1", "500", "{}")
		b.try("r-1", "500", "{}")
		b.seen("r-1", 0)
	}
	stories(t, []story{
		{name: "an answer", rules: "progress", contract: []string{"claim=2s"}, tell: tries(3, 1, "reset", "409", "201")},
		{name: "refused for good", rules: "progress", contract: []string{"claim=2s"}, tell: tries(3, 0, "reset", "409", "402")},
		{name: "409 for ever", rules: "progress", contract: []string{"claim=500ms"}, tell: tries(3, 0, "reset", "409", "409"), verdict: Fail,
			want: "fail progress r-1: charge r-1 was tried 3 times in 1 s and never got a final answer: the last was 409. The contract says that an unfinished try blocks the key for 500 ms."},
		{name: "409 for ever, no claim", rules: "progress", tell: tries(3, 0, "reset", "409", "409"), verdict: Inconclusive, want: "State contract.claim"},
		{name: "409 within the claim", rules: "progress", contract: []string{"claim=5s"}, tell: tries(3, 0, "reset", "409", "409"), verdict: Inconclusive, want: "The claim of 5 s had not ended"},
		{name: "409 and the effect is there", rules: "progress", contract: []string{"claim=500ms"}, tell: tries(3, 1, "reset", "409", "409"), want: "note: charge r-1 was tried"},
		{name: "409 for ever, where a replay is promised", rules: "progress", contract: []string{"claim=500ms", "replay=verbatim"}, tell: tries(3, 1, "reset", "409", "409"), verdict: Fail, want: "never got a final answer"},
		{name: "a kept failure", rules: "progress", contract: []string{"stored=2xx,4xx"}, tell: kept, verdict: Fail, want: "the last was 500, again and again. The contract does not say that a failure is kept."},
		{name: "a kept failure that may be", rules: "progress", contract: []string{"stored=all"}, tell: kept},
		{name: "a kept failure, nothing said", rules: "progress", tell: kept, verdict: Inconclusive, want: "State contract.stored"},
		{name: "a failure that is not ours", rules: "progress", contract: []string{"stored=2xx"}, tell: tries(3, 0, "500", "500", "500"), verdict: Inconclusive, want: "no fault of ours"},
		{name: "aged past the claim", rules: "progress", contract: []string{"claim=30s"}, verdict: Fail, want: "never got a final answer: the last was 409", tell: func(b *book) {
			b.try("r-1", "reset")
			b.mark(history.MarkAged, "", "by=40s")
			b.try("r-1", "409")
			b.seen("r-1", 0)
		}},
		{name: "one try", verdict: Inconclusive, want: "Nothing was judged", rules: "progress", contract: []string{"claim=1s"}, tell: func(b *book) { b.try("r-1", "reset"); b.seen("r-1", 0) }},
	})
}

// A service whose repeats are answered under another identity each time has
// nothing that stays. That must not hide it.
func TestMovingIdentity(t *testing.T) {
	for contract, want := range map[string]Verdict{"": Inconclusive, "replay=current": Fail, "replay=accepted": Pass} {
		b := newBook(rows1)
		b.in = history.CaseCalibration
		b.try("c-1", "201", `{"id":100}`)
		b.seen("c-1", 1)
		b.try("c-2", "201", `{"id":200}`)
		b.seen("c-2", 1)
		b.try("c-2", "201", `{"id":201}`)
		b.open("repeat/charge", "same-answer")
		b.try("r-1", "201", `{"id":300}`)
		b.try("r-1", "201", `{"id":301}`)
		b.seen("r-1", 1)
		c := stated(t)
		if contract != "" {
			c = stated(t, contract)
		}
		r := Judge(b.done(), c)
		if got := r.Cases[0]; got.Verdict != want {
			t.Errorf("%q: %s, want %s: %+v", contract, got.Verdict, want, got)
		}
	}
}

// An answer that nothing names cannot be told to be the current one.
func TestCurrentWithoutTellingFields(t *testing.T) {
	for answer, want := range map[string]Verdict{`{"status":"duplicate"}`: Inconclusive, `{"status":"done"}`: Pass} {
		b := newBook(rows1)
		b.open("repeat/charge", "same-answer")
		b.try("r-1", "201", `{"status":"done"}`)
		b.try("r-1", "201", answer)
		b.seen("r-1", 1)
		if got := Judge(b.done(), stated(t, "replay=current")).Cases[0]; got.Verdict != want {
			t.Errorf("%s: %s, want %s: %+v", answer, got.Verdict, want, got)
		}
	}
}

// An API that was asked as one tenant may not show another's rows.
func TestHTTPObserverOfAnotherScope(t *testing.T) {
	api := history.Observer{Name: "charge-api", Kind: "http", By: "id"}
	for scope, want := range map[string]Verdict{"alice": Fail, "bob": Inconclusive} {
		b := newBook(api)
		b.in = history.CaseCalibration
		for _, id := range []string{"c-1", "c-2"} {
			b.try(id, "201", "scope=alice")
			b.effect(api, id, 1)
		}
		b.open("plain/charge", "exactly-once")
		b.try("r-1", "201", "scope="+scope)
		b.effect(api, "r-1", 0)
		b.mark(history.MarkSettled, "r-1", "waited=10s")
		if got := Judge(b.done(), stated(t)).Cases[0]; got.Verdict != want {
			t.Errorf("%s: %s, want %s: %+v", scope, got.Verdict, want, got)
		}
	}
}

// refusedAfter is an operation that the provider refused after it was answered.
func refusedAfter(status string) func(*book) {
	return func(b *book) {
		b.try("r-1", status)
		b.add(history.Event{Kind: history.Fault, Name: "refuse", Op: "r-1", Actor: "provider/card"})
		b.seen("r-1", 0)
	}
}

// series tries one operation again and again; what is accepted is answered alike.
func series(statuses ...string) func(*book) {
	return func(b *book) {
		for _, s := range statuses {
			b.try("r-1", s, one)
		}
	}
}
