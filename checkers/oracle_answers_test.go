package checkers

import (
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// Whether two attempts are the same request, by the words of the contract.
func likeSlow(s small, op *history.Operation, a, b history.Attempt) bool {
	if keyOf(op, a) != keyOf(op, b) || a.Begin.Attrs["request"] != b.Begin.Attrs["request"] {
		return false
	}
	switch {
	case s.c.Fingerprint.Has("key"):
		return variant(a) == variant(b)
	case s.c.Fingerprint.Has("canonical"):
		return a.Begin.Payload == b.Begin.Payload
	}
	return a.Begin.Attrs["raw"] == b.Begin.Attrs["raw"]
}

func overlapSlow(a, b history.Attempt) bool {
	return a.Begin.Seq < ended(b) && b.Begin.Seq < ended(a)
}

// refSlow is the like attempt that was accepted and ended first, if it began
// before.
func refSlow(s small, op *history.Operation, j int, like func(a history.Attempt) bool) *history.Attempt {
	var ref *history.Attempt
	for i := range op.Attempts {
		a := &op.Attempts[i]
		if a.Begin.Seq < op.Attempts[j].Begin.Seq && a.Outcome() == history.OK && like(*a) && (ref == nil || a.End.Seq < ref.End.Seq) {
			ref = a
		}
	}
	return ref
}

func aloneSlow(op *history.Operation, ref *history.Attempt, j int) bool {
	for i := range op.Attempts {
		if i != j && overlapSlow(op.Attempts[i], op.Attempts[j]) {
			return false
		}
	}
	return ref.End.Seq < op.Attempts[j].Begin.Seq
}

func lingersSlow(op *history.Operation, j int, claim int64) bool {
	for i, a := range op.Attempts {
		if i < j && a.Outcome() == history.Unknown && (claim == 0 || a.End == nil || op.Attempts[j].Begin.At < a.End.At+claim+claim/10) {
			return true
		}
	}
	return false
}

// soonSlow: the first may not have been marked as done yet.
func soonSlow(op *history.Operation, ref *history.Attempt, j int, claim int64) bool {
	b := op.Attempts[j]
	inTime := claim == 0 || b.Begin.At < ref.End.At+claim+claim/10
	return b.Begin.At < ref.End.At+int64(release) || inTime && slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool {
		return a.Begin.Seq > b.End.Seq && a.Outcome() == history.OK && keyOf(op, a) == keyOf(op, b) && variant(a) == ""
	})
}

func charge(body string) string {
	for _, id := range []string{"ch_1", "ch_2", "ch_3"} {
		if strings.Contains(body, id) {
			return id
		}
	}
	return ""
}

func TestOracleSameAnswer(t *testing.T) {
	oracle := func(s small, op *history.Operation) bool {
		if len(s.c.Replay.Values) == 0 {
			return false
		}
		how := s.c.Replay.Values[0]
		for j, b := range op.Attempts {
			ref := refSlow(s, op, j, func(a history.Attempt) bool { return likeSlow(s, op, a, b) })
			if ref == nil || b.End == nil {
				continue
			}
			alone, st := aloneSlow(op, ref, j), b.End.Status
			x, y := charge(ref.End.Body), charge(b.End.Body)
			other := x != "" && y != "" && x != y && how != "accepted" && how != "none"
			bad := false
			switch b.Outcome() {
			case history.OK:
				bad = other
				if alone {
					bad = bad || how == "verbatim" && (ref.End.Status != st || ref.End.Body != b.End.Body) ||
						how == "remapped" && (ref.End.Body != b.End.Body || ref.End.Status != st && !(ref.End.Status == "201" && st == "200")) ||
						how == "conflict"
				}
			case history.Refused:
				bad = alone && st != "429" && how != "none" && !(st == "409" && how != "conflict" && soonSlow(op, ref, j, int64(s.c.Claim))) && !(st == "409" && lingersSlow(op, j, int64(s.c.Claim))) &&
					!(how == "conflict" && st == "409" && x != "" && x == y)
			}
			if bad {
				return true
			}
		}
		return false
	}
	agree(t, SameAnswer, rows1, []string{"replay", "fingerprint", "claim"}, oracle)
}

// controlSlow: some operation that shares no key with another began with the
// variant and was refused.
func controlSlow(s small) bool {
	ops := s.ops()
	shared := len(ops) > 1 && slices.ContainsFunc(ops[0].Attempts, func(a history.Attempt) bool {
		return a.Begin.Key != "" && slices.ContainsFunc(ops[1].Attempts, func(b history.Attempt) bool { return a.Begin.Key == b.Begin.Key })
	})
	return !shared && slices.ContainsFunc(ops, func(op history.Operation) bool {
		first := op.Attempts[0]
		return variant(first) != "" && first.Outcome() == history.Refused && first.End.Status != "429"
	})
}

func TestOracleChangedPayload(t *testing.T) {
	oracle := func(s small, op *history.Operation) bool {
		if len(s.c.Mismatch.Values) == 0 {
			return false
		}
		want := s.c.Mismatch.Values[0]
		for j, b := range op.Attempts {
			if variant(b) == "" || b.End == nil {
				continue
			}
			if same := refSlow(s, op, j, func(a history.Attempt) bool { return likeSlow(s, op, a, b) }); same != nil {
				continue // a repeat of a variant that was accepted
			}
			ref := refSlow(s, op, j, func(a history.Attempt) bool { return keyOf(op, a) == keyOf(op, b) && variant(a) == "" })
			if ref == nil {
				continue
			}
			st := b.End.Status
			x, y := charge(ref.End.Body), charge(b.End.Body)
			if !aloneSlow(op, ref, j) { // it may have come first; that both were shown one charge is wrong either way
				if b.Outcome() == history.OK && want != "execute" && want != "replay" && x != "" && x == y && ref.Begin.Seq < b.Begin.Seq {
					return true
				}
				continue
			}
			switch b.Outcome() {
			case history.OK:
				if !(want == "execute" || want == "replay" && (x == "" || y == "" || x == y)) {
					return true
				}
			case history.Refused:
				if !(controlSlow(s) || st == "429" || want == "reject" || want == st || st == "409" && lingersSlow(op, j, 0)) {
					return true
				}
			}
		}
		return false
	}
	agree(t, ChangedPayloadRefused, rows1, []string{"mismatch"}, oracle)
}

func TestOracleOverlap(t *testing.T) {
	oracle := func(s small, op *history.Operation) bool {
		if len(s.c.InFlight.Values) == 0 {
			return false
		}
		n := len(op.Attempts)
		linked := make([][]bool, n)
		for i := range n {
			linked[i] = make([]bool, n)
			for j := range n {
				linked[i][j] = i != j && overlapSlow(op.Attempts[i], op.Attempts[j])
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					linked[i][j] = linked[i][j] || linked[i][k] && linked[k][j]
				}
			}
		}
		for i, a := range op.Attempts {
			for j, b := range op.Attempts {
				if i == j || !linked[i][j] || a.Outcome() != history.OK || b.End == nil || b.Outcome() == history.OK ||
					!likeSlow(s, op, a, b) || variant(a) != variant(b) {
					continue
				}
				if st := b.End.Status; !slices.Contains(append(s.c.InFlight.Values, "429", "reset"), st) {
					return true
				}
			}
		}
		return false
	}
	agree(t, OverlapAnswer, rows1, []string{"in_flight", "fingerprint"}, oracle)
}

func TestOracleSeparation(t *testing.T) {
	shows := func(op *history.Operation, a history.Attempt) string {
		if a.Outcome() != history.OK {
			return ""
		}
		return charge(a.End.Body)
	}
	agreeAny(t, Separation, []string{"scope"}, func(s small) bool {
		ops := s.ops()
		for i := range ops {
			for j := range ops {
				for _, a := range ops[i].Attempts {
					for _, b := range ops[j].Attempts {
						if i != j && shows(&ops[i], a) != "" && shows(&ops[i], a) == shows(&ops[j], b) {
							return true
						}
					}
				}
			}
		}
		for i := range ops {
			for j := range ops {
				if i == j {
					continue
				}
				// The two are kin only by the key or payload of their first attempts.
				if !kinSlow(&ops[i], &ops[j]) {
					continue
				}
				lowest, _ := bothEnds(totals(&ops[j], true))
				if lastCount(&ops[j]) < lowest {
					return true
				}
				first := accepted(&ops[i])
				if first != nil && allRefused(&ops[j]) && status(ops[j].Attempts[0]) != "429" && first.End.Seq < ops[j].Attempts[0].Begin.Seq &&
					s.c.Scope.Has("key") && !shareKey(&ops[i], &ops[j]) {
					return true
				}
			}
		}
		return false
	})
}

func allRefused(op *history.Operation) bool {
	return !slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return a.Outcome() != history.Refused })
}

func kinSlow(a, b *history.Operation) bool {
	x, y := a.Attempts[0].Begin, b.Attempts[0].Begin
	return x.Key != "" && x.Key == y.Key || x.Payload == y.Payload
}

func TestOracleProgress(t *testing.T) {
	oracle := func(s small, op *history.Operation) bool {
		n := len(op.Attempts)
		if n < 2 || accepted(op) != nil {
			return false
		}
		last, before := op.Attempts[n-1], op.Attempts[n-2]
		st := status(last)
		switch st {
		case "402", "422":
			return false
		case "500":
			if before.End != nil && before.End.Status == "500" && before.End.Answer == last.End.Answer {
				return false // nothing of ours was behind it: inconclusive
			}
		}
		claim := int64(s.c.Claim)
		late := claim > 0 && last.Begin.At-op.Attempts[0].Begin.At >= claim+claim/10
		if !late || st == "429" {
			return false
		}
		promised := slices.ContainsFunc(s.c.Replay.Values, func(v string) bool { return v != "conflict" && v != "none" })
		return st != "409" || promised || lastCount(op) == 0
	}
	agree(t, Progress, rows1, []string{"claim", "replay"}, oracle)
}
