package checkers

import (
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

func TestBadKeyRefused(t *testing.T) {
	lost := func(status string, more ...string) func(b *book) {
		return func(b *book) {
			b.try("r-1", status, append(more, "key=", "keyless=dropped", "fault=drop-key")...)
			b.seen("r-1", map[bool]int{true: 1}[status == "201"])
		}
	}
	malformed := func(how, key, status string) func(b *book) {
		return func(b *book) {
			b.try("r-1", status, "key="+key, "fault=malform-key", "arg="+how)
			b.seen("r-1", map[bool]int{true: 1}[status == "201"])
		}
	}
	long := "0123456789012345678901234567890123456789x"
	const rules = "bad-key-refused,exactly-once"
	stories(t, []story{
		{name: "refused", rules: rules, contract: []string{"missing=400"}, tell: lost("400")},
		{name: "accepted without protection", rules: rules, contract: []string{"missing=400"}, tell: lost("201"), verdict: Fail,
			want: "fail bad-key-refused r-1: charge r-1 was sent with no key and answered 201. The contract says: missing 400."},
		{name: "refused in another way", rules: rules, contract: []string{"missing=400"}, tell: lost("422"), verdict: Fail, want: "answered 422"},
		{name: "any refusal will do", rules: rules, contract: []string{"missing=reject"}, tell: lost("422")},
		{name: "a failure never will", rules: rules, contract: []string{"missing=reject"}, tell: lost("500"), verdict: Fail, want: "answered 500"},
		{name: "carried out, as promised", rules: rules, contract: []string{"missing=run"}, tell: lost("201")},
		{name: "refused, against the promise", rules: rules, contract: []string{"missing=run"}, tell: lost("400"), verdict: Fail, want: "missing run"},
		{name: "either", rules: rules, contract: []string{"missing=run,reject"}, tell: lost("400")},
		{name: "nothing promised", rules: rules, tell: lost("201"), want: "note: charge r-1 was sent with no key and answered 201. The contract does not say"},
		{name: "not known", rules: rules, contract: []string{"missing=reject"}, tell: lost("reset"), verdict: Inconclusive, want: "answered reset: not judged"},
		{name: "too many", rules: rules, contract: []string{"missing=reject"}, tell: lost("429"), verdict: Inconclusive, want: "answered 429: not judged"},
		{name: "too long", rules: rules, contract: []string{"syntax=max=40,400"}, tell: malformed("over-long", long, "400")},
		{name: "too long, accepted", rules: rules, contract: []string{"syntax=max=40"}, tell: malformed("over-long", long, "201"), verdict: Fail, want: "a key that is over-long and answered 201"},
		{name: "long, no limit", rules: rules, contract: []string{"syntax=bare"}, tell: malformed("over-long", long, "201")},
		{name: "no uuid", rules: rules, contract: []string{"syntax=uuid"}, tell: malformed("malformed", "x", "201"), verdict: Fail, want: "syntax uuid"},
		{name: "another status", rules: rules, contract: []string{"syntax=uuid,400"}, tell: malformed("malformed", "x", "422"), verdict: Fail, want: "answered 422"},
		{name: "two of them", rules: rules, contract: []string{"syntax=uuid"}, tell: malformed("doubled", "x", "201")},
		{name: "malformed, a failure", rules: rules, contract: []string{"missing=reject"}, tell: malformed("non-ascii", "x", "500"), verdict: Fail, want: "answered 500"},
		{name: "empty counts as missing", rules: rules, contract: []string{"missing=reject"}, tell: malformed("empty", "", "201"), verdict: Fail, want: "missing reject"},
		{name: "blanks may be a key", rules: rules, contract: []string{"missing=400"}, tell: malformed("blank", "", "201")},
		{name: "blanks may be none", rules: rules, contract: []string{"missing=400"}, tell: malformed("blank", "", "400")},
		{name: "blanks are no reason to fail", rules: rules, contract: []string{"missing=400"}, tell: malformed("blank", "", "500"), verdict: Fail, want: "answered 500"},
		{name: "empty may be refused", rules: rules, contract: []string{"missing=run"}, tell: malformed("blank", " ", "400")},
	})
}

func TestKeylessBesideAnObserverOfKeys(t *testing.T) {
	stories(t, []story{{name: "cannot be seen", rules: "at-most-once,bad-key-refused", obs: []history.Observer{byKey1}, contract: []string{"missing=400"},
		tell: func(b *book) { b.try("r-1", "400", "key=", "keyless=dropped") }, want: "note: charge r-1 was sent without a key: key-row"}})
}

func TestAfterLife(t *testing.T) {
	repeat := func(by, status, answer string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", `{"id":"ch_1"}`)
			b.mark(history.MarkAged, "r-1", "by="+by)
			b.try("r-1", status, answer)
			b.seen("r-1", 1)
		}
	}
	other := func(status, answer string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", `{"id":"ch_1"}`, "payload=p1")
			b.mark(history.MarkAged, "r-1", "by=27h")
			b.try("r-1", status, answer, "variant=/amount", "payload=p2")
			b.seen("r-1", 1)
		}
	}
	const rules = "after-life,exactly-once"
	anew, reject := []string{"life=24h", "after_life=new"}, []string{"life=24h", "after_life=412"}
	stories(t, []story{
		{name: "runs as new", rules: rules, contract: anew, tell: repeat("27h", "201", `{"id":"ch_2"}`)},
		{name: "still replays", rules: rules, contract: anew, tell: repeat("27h", "201", `{"id":"ch_1"}`), verdict: Fail, want: "after the life of its key (24 h)"},
		{name: "runs as new under a number made from the order", rules: rules, contract: anew, tell: func(b *book) {
			repeat("27h", "201", `{"id":"ch_1"}`)(b)
			b.seen("r-1", 2)
		}},
		{name: "at the limit either is right", rules: rules, contract: anew, tell: repeat("24h30m", "201", `{"id":"ch_1"}`)},
		{name: "within it", rules: rules, contract: anew, tell: repeat("1h", "201", `{"id":"ch_1"}`)},
		{name: "refused, as promised", rules: rules, contract: reject, tell: repeat("27h", "412", `{}`)},
		{name: "refused in another way", rules: rules, contract: reject, tell: repeat("27h", "400", `{}`), verdict: Fail, want: "after_life 412"},
		{name: "refused, against the promise", rules: rules, contract: anew, tell: repeat("27h", "412", `{}`), verdict: Fail, want: "after_life new"},
		{name: "replays what it should refuse", rules: rules, contract: reject, tell: repeat("27h", "201", `{"id":"ch_1"}`), verdict: Fail, want: "after_life 412"},
		{name: "another payload runs as new", rules: rules, contract: anew, tell: other("201", `{"id":"ch_2"}`)},
		{name: "another payload is still refused", rules: rules, contract: anew, tell: other("422", `{}`), verdict: Fail, want: "charge r-1 was sent with another amount after the life of its key"},
		{name: "another payload is still shown the first answer", rules: rules, contract: anew, tell: other("201", `{"id":"ch_1"}`), verdict: Fail, want: "after_life new"},
		{name: "another payload that nobody may send", rules: rules, contract: anew, verdict: Inconclusive, want: "so was a fresh operation", tell: func(b *book) {
			other("422", `{}`)(b)
			b.try("r-2", "422", "variant=/amount", "payload=p3")
			b.seen("r-2", 0)
		}},
		{name: "another payload under a key that is refused", rules: rules, contract: append(reject, "mismatch=422"), tell: other("422", `{}`)},
		{name: "not known", rules: rules, contract: anew, tell: repeat("27h", "reset", `{}`), verdict: Inconclusive, want: "not judged"},
	})
}

// A repeat that was sent within the life may arrive after it.
func TestRepeatOnItsWayAtTheEndOfLife(t *testing.T) {
	late := func(end string) func(b *book) {
		return func(b *book) {
			b.end(b.begin("r-1", "at=0s"), "201", `{"id":"ch_1"}`, "at=1ms")
			b.end(b.begin("r-1", "at=990ms"), "201", `{"id":"ch_2"}`, "at="+end)
			b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Count: 2, Actor: "idemcheck", At: int64(2 * time.Second)})
		}
	}
	anew := []string{"life=1s", "after_life=new", "replay=verbatim"}
	stories(t, []story{
		{name: "in time", rules: "exactly-once,same-answer", contract: anew, tell: late("995ms"), verdict: Fail, want: "took effect 2 times"},
		{name: "perhaps not", rules: "exactly-once,same-answer", contract: anew, tell: late("1010ms")},
	})
}

func TestStoredOutcome(t *testing.T) {
	again := func(fault, first, second string) func(b *book) {
		return func(b *book) {
			f := b.begin("r-1")
			b.add(history.Event{Kind: history.Fault, Name: fault, Op: "r-1", Actor: "provider/card"})
			b.end(f, first, "header.x=1")
			b.try("r-1", second)
			b.seen("r-1", map[bool]int{true: 1}[second == "201"])
		}
	}
	const rules = "stored-outcome,exactly-once"
	all, ok := []string{"stored=all"}, []string{"stored=2xx"}
	stories(t, []story{
		{name: "kept", rules: rules, contract: all, tell: again("fail", "500", "500")},
		{name: "carried out although it is kept", rules: rules, contract: all, tell: again("fail", "500", "201"), verdict: Fail, want: "although the first answer is kept. The contract says: stored all."},
		{name: "carried out again", rules: rules, contract: ok, tell: again("fail", "500", "201")},
		{name: "kept although it is not", rules: rules, contract: ok, tell: again("fail", "500", "500"), verdict: Fail, want: "and not carried out again"},
		{name: "a refusal that is kept", rules: rules, contract: []string{"stored=2xx,4xx"}, tell: again("refuse", "402", "402")},
		{name: "a refusal that is not", rules: rules, contract: ok, tell: again("refuse", "402", "402"), verdict: Fail, want: "stored 2xx"},
		{name: "replay_5xx says more", rules: rules, contract: []string{"stored=all", "replay_5xx=execute"}, tell: again("fail", "500", "201")},
		{name: "down for a while", rules: rules, contract: all, tell: again("fail", "500", "503")},
		{name: "busy", rules: rules, contract: ok, tell: again("fail", "500", "409")},
		{name: "a fault that did no work", rules: rules, contract: all, tell: again("slow", "500", "201")},
	})
}

// What is new in each attempt is not compared where the contract says that only some fields are.
func TestFreshEnvelope(t *testing.T) {
	again := func(status string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", "payload=p1", "raw=p1", `{"id":"ch_1"}`)
			b.try("r-1", status, "payload=p2", "raw=p2", `{"id":"ch_1"}`)
			b.seen("r-1", 1)
		}
	}
	const rules = "same-answer,exactly-once"
	stories(t, []story{
		{name: "the same", rules: rules, contract: []string{"replay=verbatim", "fingerprint=fields"}, tell: again("201")},
		{name: "refused", rules: rules, contract: []string{"replay=verbatim", "fingerprint=fields"}, tell: again("422"), verdict: Fail, want: "its identical repeat was refused (422)"},
		{name: "compared", rules: rules, contract: []string{"replay=verbatim", "fingerprint=canonical"}, tell: again("422")},
	})
}

// What the provider refused under its key it refuses for ever, though the caller's is new.
func TestStaleRefusal(t *testing.T) {
	again := func(key, stale, second string) func(b *book) {
		return func(b *book) {
			f := b.begin("r-1")
			b.add(history.Event{Kind: history.Fault, Name: "refuse", Op: "r-1", Actor: "provider/card"})
			b.end(f, "402", "header.x=1")
			f = b.begin("r-1", "key="+key, "fault=change-key")
			if stale != "" {
				b.add(history.Event{Kind: history.Moment, Name: "card", Op: "r-1", Actor: "provider/card", Attrs: map[string]string{history.AttrStale: stale}})
			}
			b.end(f, second)
			b.seen("r-1", map[bool]int{true: 1}[second == "201"])
		}
	}
	const rules = "stored-outcome,exactly-once"
	kept := []string{"stored=2xx,4xx"}
	stories(t, []story{
		{name: "carried out", rules: rules, contract: kept, tell: again("k-2", "", "201")},
		{name: "refused by the service", rules: rules, contract: kept, tell: again("k-2", "", "402")},
		{name: "refused for ever", rules: rules, contract: kept, tell: again("k-2", "402", "402"), verdict: Fail, want: "since card was called under the key of the refused call"},
		{name: "no word on it", rules: rules, tell: again("k-2", "402", "402"), verdict: Inconclusive, want: "since card was called under the key of the refused call"},
		{name: "under the same key", rules: rules, contract: kept, tell: again("k-r-1", "402", "402")},
	})
}

func TestErrorFormat(t *testing.T) {
	changed := func(more ...string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201")
			b.try("r-1", "422", append(more, "variant=/amount", "payload=p", "raw=p")...)
			b.seen("r-1", 1)
		}
	}
	const rules = "error-format,exactly-once"
	problem := []string{"errors=problem+json,describedby"}
	stories(t, []story{
		{name: "a problem", rules: rules, contract: problem, tell: changed("header.content-type=application/problem+json; charset=utf-8")},
		{name: "a link", rules: rules, contract: problem, tell: changed(`header.link=<https://x>; rel="describedby"`)},
		{name: "neither", rules: rules, contract: problem, tell: changed("header.content-type=application/json"), verdict: Fail, want: "errors problem+json or describedby"},
		{name: "a code", rules: rules, contract: []string{"errors=idempotency_error"}, tell: changed(`{"type":"idempotency_error"}`)},
		{name: "no code", rules: rules, contract: []string{"errors=idempotency_error"}, tell: changed(`{"type":"other"}`), verdict: Fail, want: "another payload under a used key (422)"},
		{name: "of a bad key", rules: rules, contract: problem, verdict: Fail, want: "the refusal of a bad key (400)", tell: func(b *book) {
			b.try("r-1", "400", "key=", "keyless=dropped")
			b.seen("r-1", 0)
		}},
		{name: "of something else", rules: rules, contract: problem, tell: func(b *book) { b.try("r-1", "402"); b.seen("r-1", 0) }},
	})
}

// A life that was only read second-hand ends nothing.
func TestSecondHandLife(t *testing.T) {
	c := stated(t, "life=1h", "after_life=reject")
	c.LifeFrom.Confidence = "second-hand"
	b := newBook(rows1)
	b.calibrate("charge")
	b.open("x/charge", "after-life", "exactly-once")
	b.try("r-1", "201")
	b.mark(history.MarkAged, "r-1", "by="+(2*time.Hour).String())
	b.try("r-1", "201")
	b.seen("r-1", 1)
	if r := Judge(b.done(), c); r.Verdict() != Pass {
		t.Error(findings(r))
	}
}

// Under which key a service keeps what came with a bad one is its own affair.
func TestBadKeyBesideAnObserverOfKeys(t *testing.T) {
	bad := func(how, key string) func(b *book) {
		return func(b *book) {
			b.try("r-1", "201", one, "key="+key, "fault=malform-key", "arg="+how)
			b.effect(byKey1, key, 0)
			b.effect(rows1, "r-1", 0)
		}
	}
	stories(t, []story{
		{name: "doubled", rules: "exactly-once", obs: []history.Observer{byKey1}, tell: bad("doubled", "k-1, k-2"), want: "note: charge r-1: an attempt without a good key"},
		{name: "too long", rules: "exactly-once", obs: []history.Observer{byKey1}, tell: bad("over-long", "k-1-xxx"), want: "note: charge r-1: an attempt without a good key"},
		{name: "seen by id", rules: "exactly-once", tell: bad("doubled", "k-1, k-2"), verdict: Fail, want: "no-lost-effect"},
	})
}
