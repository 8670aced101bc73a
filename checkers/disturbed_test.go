package checkers

import (
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// What we did to the system is no fault of its own: time counts from when it
// was whole again, and what was tried while it was not is not judged.
func TestProgressOfDisturbedSystems(t *testing.T) {
	did := func(b *book, name, actor string, at time.Duration) {
		b.add(history.Event{Kind: history.Mark, Name: name, Actor: actor, At: int64(at)})
	}
	tell := func(before, after string, whole time.Duration, statuses ...string) func(*book) {
		return func(b *book) {
			b.end(b.begin("r-1", "at=10ms"), "reset", "at=12ms")
			did(b, before, "worker/api", 15*time.Millisecond)
			if after != "" {
				did(b, after, "worker/api", whole)
			}
			for i, s := range statuses {
				at := itoa(2000+100*i) + "ms"
				b.end(b.begin("r-1", "at="+at), s, "at="+at)
			}
			b.seen("r-1", 0)
		}
	}
	claim := []string{"claim=1s", "stored=2xx"}
	stories(t, []story{
		{name: "409 long after the restart", rules: "progress", contract: claim, tell: tell(history.MarkKilled, history.MarkRestart, 50*time.Millisecond, "409", "409"), verdict: Fail, want: "never got a final answer"},
		{name: "409 soon after the restart", rules: "progress", contract: claim, tell: tell(history.MarkKilled, history.MarkRestart, 1900*time.Millisecond, "409", "409"), verdict: Inconclusive, want: "The claim of 1 s had not ended"},
		{name: "409 soon after it came back", rules: "progress", contract: claim, tell: tell(history.MarkPaused, history.MarkResumed, 1900*time.Millisecond, "409", "409"), verdict: Inconclusive, want: "The claim of 1 s had not ended"},
		{name: "no answer while it stands still", rules: "progress", contract: claim, tell: tell(history.MarkPaused, "", 0, "timeout", "timeout"), verdict: Inconclusive, want: "while worker/api stood still"},
		{name: "dead", rules: "progress", contract: claim, tell: tell(history.MarkKilled, "", 0, "reset", "reset"), verdict: Inconclusive, want: "while worker/api was dead"},
		{name: "503 while the store is away", rules: "progress", contract: claim, tell: tell(history.MarkDown, "", 0, "503", "503"), verdict: Inconclusive, want: "while what is behind worker/api was away"},
		{name: "503 after the store came back", rules: "progress", contract: claim, tell: tell(history.MarkDown, history.MarkUp, 50*time.Millisecond, "503", "503"), verdict: Inconclusive, want: "whether it finds its way back"},
		{name: "409 after the store came back", rules: "progress", contract: claim, tell: tell(history.MarkReadOnly, history.MarkUp, 50*time.Millisecond, "503", "409"), verdict: Fail, want: "never got a final answer"},
		{name: "an answer at last", rules: "progress", contract: claim, tell: tell(history.MarkKilled, history.MarkRestart, 50*time.Millisecond, "409", "402")},
	})
}

// A link that refuses a commit is not a provider that refuses for good.
func TestRefusedCommitIsNoRefusal(t *testing.T) {
	stories(t, []story{{name: "accepted and lost", rules: "no-lost-effect", verdict: Fail, want: "Nothing came", tell: func(b *book) {
		a := b.begin("r-1")
		b.add(history.Event{Kind: history.Fault, Name: "refuse", Op: "r-1", Attrs: map[string]string{history.AttrMoment: "db COMMIT"}})
		b.end(a, "202")
		b.seen("r-1", 0)
	}}})
}
