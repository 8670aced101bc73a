package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func momentOf(at float64, name, phase, reply string) Event {
	actor, _, _ := strings.Cut(name, " ")
	return Event{At: ms(at), Kind: Moment, Op: "12", Case: "map/charge/2 kill after", Name: name, Actor: "link/" + actor,
		Attrs: map[string]string{attrPhase: phase, attrReply: reply, attrConn: "1", attrText: "insert into t values ($1)"}}
}

// killed is an operation that was struck at a moment, with all that links and
// workers add to a history.
func killed() []Event {
	const at = "map/charge/2 kill after"
	point := momentOf(8, "after-effect", phaseBefore, "")
	point.Actor = "point"
	refused := momentOf(44, "db COMMIT", phaseAfter, "ERROR 40001")
	refused.Attrs[attrRefused] = "true"
	return []Event{
		{At: ms(0), Kind: Invoke, Case: at, Op: "12", Key: "k", Attempt: 1, Actor: "client", Payload: "p", Attrs: map[string]string{AttrRequest: "POST /charges"}},
		momentOf(1, "db INSERT keys", phaseBefore, ""),
		momentOf(2, "db INSERT keys", phaseAfter, "INSERT 0 1"),
		momentOf(3, "card POST /v1/charges", phaseBefore, ""),
		{At: ms(4), Kind: Effect, Case: at, Op: "12", Name: "card", Count: 1, Actor: "provider/card", Key: "p-81"},
		momentOf(5, "card POST /v1/charges", phaseAfter, "201"),
		{At: ms(6), Kind: Moment, Case: at, Op: "12", Name: "card", Actor: "provider/card", Attrs: map[string]string{AttrAtOnce: "1"}},
		point,
		{At: ms(9), Kind: Fault, Case: at, Op: "12", Name: "kill-after", Actor: "idemcheck", Attrs: map[string]string{AttrArg: "card POST /v1/charges"}},
		{At: ms(12), Kind: Mark, Name: MarkKilled, Case: at, Actor: "worker/api"},
		{At: ms(13), Kind: Unknown, Case: at, Op: "12", Attempt: 1, Actor: "client", Status: "reset"},
		{At: ms(14), Kind: Mark, Name: MarkDown, Case: at, Actor: "link/db"},
		{At: ms(20), Kind: Mark, Name: MarkUp, Case: at, Actor: "link/db"},
		{At: ms(31), Kind: Mark, Name: MarkRestart, Case: at, Actor: "worker/api"},
		{At: ms(32), Kind: Mark, Name: MarkPaused, Case: at, Actor: "worker/api-2"},
		{At: ms(40), Kind: Invoke, Case: at, Op: "12", Key: "k", Attempt: 2, Actor: "client", Payload: "p", Attrs: map[string]string{AttrRequest: "POST /charges"}},
		momentOf(43, "db COMMIT", phaseBefore, ""), refused,
		{At: ms(45), Kind: Mark, Name: MarkResumed, Case: at, Actor: "worker/api-2"},
		{At: ms(46), Kind: Mark, Name: MarkReadOnly, Case: at, Actor: "link/db"},
		{At: ms(50), Kind: OK, Case: at, Op: "12", Attempt: 2, Actor: "client", Status: "201", Body: `{"id":"ch_2"}`},
	}
}

func TestTimelineOfLinksAndWorkers(t *testing.T) {
	for op := range numbered(killed()...).Operations() {
		var b strings.Builder
		if err := Timeline(&b, op, nil); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "killed.txt"), b.String())
	}
}

// However many moments there are, what was sent, done and seen is shown.
func TestTimelineOfManyMoments(t *testing.T) {
	events := killed()
	for i := range 300 {
		name := fmt.Sprintf("db SELECT t #%d", i+1)
		events = append(events, momentOf(float64(60+2*i), name, phaseBefore, ""), momentOf(float64(61+2*i), name, phaseAfter, "SELECT 1"))
	}
	for op := range numbered(events...).Operations() {
		seen := map[string]int{}
		for _, r := range Rows(op, nil) {
			seen[r.Kind]++
		}
		for kind, n := range map[string]int{"invoke": 2, "ok": 1, "unknown": 1, "effect": 1, "fault": 1, MarkKilled: 1, MarkRestart: 1, MarkPaused: 1, MarkResumed: 1} {
			if seen[kind] != n {
				t.Errorf("%d rows of %s, want %d", seen[kind], kind, n)
			}
		}
		if seen["moment"] == 0 || seen["moment"] > maxRows {
			t.Errorf("%d moments", seen["moment"])
		}
	}
}
