package checkers

// The rules, in the order of documents: where one operation breaks several, the
// first is the one to read.
var (
	AtMostOnce = Rule{Name: "at-most-once", effects: true, Group: atMostOnce,
		Doc: "an operation takes effect at most once, however often it is delivered"}
	NoLostEffect = Rule{Name: "no-lost-effect", effects: true, Group: noLostEffect,
		Doc: "what was acknowledged took effect"}
	ExactlyOnce = Rule{Name: "exactly-once", effects: true, Group: exactlyOnce,
		Doc: "at-most-once and no-lost-effect; violations carry the narrower name"}
	RefusedNoEffect = Rule{Name: "refused-no-effect", effects: true, Group: refusedNoEffect,
		Doc: "an operation whose every attempt was refused has no effect"}
	SameAnswer = Rule{Name: "same-answer", Group: sameAnswer,
		Doc: "a repeat of what was accepted is answered as contract.replay says"}
	ChangedPayloadRefused = Rule{Name: "changed-payload-refused", History: changedPayloadRefused,
		Doc: "another payload under a used key is answered as contract.mismatch says"}
	OverlapAnswer = Rule{Name: "overlap-answer", Group: overlapAnswer,
		Doc: "a repeat that comes while the first runs is answered as contract.in_flight says"}
	Separation = Rule{Name: "separation", History: separation,
		Doc: "operations do not get one another's answers, nor swallow one another's effects"}
	Progress = Rule{Name: "progress", Group: progress,
		Doc: "a retried operation reaches a final answer within contract.claim and a tenth"}
	NoStepBack = Rule{Name: "no-step-back", effects: true, Group: noStepBack,
		Doc: "an older version of an entity never overwrites a newer one"}
	OrderKept = Rule{Name: "order-kept", effects: true, Group: orderKept,
		Doc: "effects of one entity keep the order in which its versions were sent and acknowledged"}
	OneHolder = Rule{Name: "one-holder", effects: true, needs: someOneAtATime, Group: oneHolder,
		Doc: "never two provider calls of one operation in flight at once (where one_at_a_time is stated)"}
	BooksAgree = Rule{Name: "books-agree", effects: true, needs: bothBooks, Group: booksAgree,
		Doc: "own records and outside ledgers show the same of every operation that has its last word"}
	BadKeyRefused = Rule{Name: "bad-key-refused", Group: badKeyRefused,
		Doc: "a request whose key is missing or malformed is answered as contract.missing and contract.syntax say"}
	AfterLife = Rule{Name: "after-life", History: afterLife,
		Doc: "a repeat under an expired key is answered as contract.after_life says"}
	StoredOutcome = Rule{Name: "stored-outcome", Group: storedOutcome,
		Doc: "a failure is kept, or carried out again, as contract.stored and contract.replay_5xx say"}
	ErrorFormat = Rule{Name: "error-format", Group: errorFormat,
		Doc: "a refusal for the key's sake looks as contract.errors says"}
)

// Catalogue holds every rule.
var Catalogue = []Rule{
	AtMostOnce, NoLostEffect, ExactlyOnce, RefusedNoEffect, SameAnswer,
	ChangedPayloadRefused, OverlapAnswer, Separation, Progress,
	NoStepBack, OrderKept, OneHolder, BooksAgree,
	BadKeyRefused, AfterLife, StoredOutcome, ErrorFormat,
}

// Lookup finds a rule by name.
func Lookup(name string) (Rule, bool) {
	for _, r := range Catalogue {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{}, false
}

// rank orders violations: by the table, then rules of the user.
func rank(rule string) int {
	for i, r := range Catalogue {
		if r.Name == rule {
			return i
		}
	}
	return len(Catalogue)
}
