package scenarios

import (
	"slices"
	"testing"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// steps plays one step, before and after, through the hook.
func (b *board) play(link, name string, conn int, call int64) (before, after wire.Action) {
	s := wire.Step{Link: link, Name: name, Conn: conn, Call: call}
	if before = b.hook(s); before == wire.Pass && link != "" {
		s.Phase = wire.After
		after = b.hook(s)
	}
	return before, after
}

func TestBoardNamesMomentsWithinTheOperation(t *testing.T) {
	var events []history.Event
	b := newBoard(func(e history.Event) { events = append(events, e) })
	b.play("db", "COMMIT", 1, 1) // off: not seen
	b.begin("case")
	b.play("db", "COMMIT", 1, 2) // nothing was sent yet
	op, other := &live{id: "r-1"}, &live{id: "r-2"}
	b.turn(op)
	b.play("db", "INSERT keys", 1, 3)
	b.play("db", "COMMIT", 1, 4)
	b.play("", "after-effect", 1, 0)
	b.play("db", "COMMIT", 2, 5)
	b.hush()
	b.play("db", "SELECT boot", 2, 6)
	b.listen()
	b.turn(other)
	b.play("db", "COMMIT", 2, 7)
	b.end()
	want := []string{"db INSERT keys", "db COMMIT", "after-effect", "db COMMIT #2"}
	if got := b.moments(op); !slices.Equal(got, want) {
		t.Errorf("moments %q, want %q", got, want)
	}
	if got := b.moments(other); !slices.Equal(got, []string{"db COMMIT"}) {
		t.Errorf("of the other %q", got)
	}
	if len(events) != 9 || events[8].Attrs["phase"] != "after" || events[8].Op != "r-2" {
		t.Errorf("%d events, the last %+v", len(events), events[len(events)-1])
	}
}

func TestBoardStrikesOnceAtTheNth(t *testing.T) {
	b := newBoard(func(history.Event) {})
	b.begin("case")
	b.turn(&live{id: "r-1"})
	cut := func(wire.Step) wire.Action { return wire.Cut }
	before := b.arm(strike{moment: "db COMMIT", nth: 2, phase: wire.Before, do: cut})
	after := b.arm(strike{moment: "db COMMIT", nth: 3, phase: wire.After, do: cut})
	durable := b.arm(strike{match: func(s wire.Step) bool { return s.Name == "INSERT x" }, phase: wire.After, do: cut})
	never := b.arm(strike{moment: "db ROLLBACK", do: cut})
	type got struct{ before, after wire.Action }
	for i, want := range []got{{wire.Pass, wire.Pass}, {wire.Cut, wire.Pass}, {wire.Pass, wire.Cut}, {wire.Pass, wire.Pass}} {
		if x, y := b.play("db", "COMMIT", 1, int64(i)); (got{x, y}) != want {
			t.Errorf("COMMIT %d: %v %v, want %v", i+1, x, y, want)
		}
	}
	if _, y := b.play("db", "INSERT x", 1, 9); y != wire.Cut {
		t.Error("what matches was not struck")
	}
	b.end()
	for _, a := range []*armed{before, after, durable} {
		if a.wait(); !a.fired() {
			t.Errorf("%+v has not fired", a.strike.moment)
		}
	}
	if never.disarm(); never.fired() {
		t.Error("what never came has fired")
	}
}

func TestBoardCountsInTheOrderOfAsking(t *testing.T) {
	b := newBoard(func(history.Event) {})
	b.begin("case")
	b.turn(&live{id: "r-1"})
	b.arm(strike{moment: "db COMMIT", nth: 2, phase: wire.After, do: func(wire.Step) wire.Action { return wire.Cut }})
	first, second := wire.Step{Link: "db", Name: "COMMIT", Conn: 1, Call: 1}, wire.Step{Link: "db", Name: "COMMIT", Conn: 2, Call: 1}
	b.hook(first)
	b.hook(second)
	first.Phase, second.Phase = wire.After, wire.After
	if b.hook(second) != wire.Cut || b.hook(first) != wire.Pass {
		t.Error("the second that was asked for is the second, whichever is answered first")
	}
	b.end()
}

func TestBoardLeavesOutWhatIsSeenInIdleTime(t *testing.T) {
	b := newBoard(func(history.Event) {})
	if err := b.learn(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	b.begin("")
	b.learns = true
	b.play("db", "DELETE keys", 1, 1)
	b.learns = false
	b.end()
	b.begin("case")
	op := &live{id: "r-1"}
	b.turn(op)
	b.play("db", "DELETE keys", 1, 2)
	b.play("db", "COMMIT", 1, 3)
	b.end()
	if got := b.moments(op); !slices.Equal(got, []string{"db COMMIT"}) || !slices.Equal(b.leftOut(), []string{"db DELETE keys"}) {
		t.Errorf("moments %q, left out %q", got, b.leftOut())
	}
}

func TestBoardKeepsTheCommitOfTheOperationThoughPollersCommit(t *testing.T) {
	b := newBoard(func(history.Event) {})
	transaction := func(conn int, names ...string) {
		for i, name := range names {
			s := wire.Step{Link: "db", Name: name, Conn: conn, Within: i > 0}
			for _, s.Phase = range []wire.Phase{wire.Before, wire.After} {
				b.hook(s)
			}
		}
	}
	b.begin("")
	b.learns = true
	transaction(1, "BEGIN", "SELECT outbox", "COMMIT")
	b.learns = false
	b.end()
	b.begin("case")
	op := &live{id: "r-1"}
	b.turn(op)
	transaction(1, "BEGIN", "SELECT outbox", "COMMIT")
	transaction(2, "BEGIN", "INSERT charges", "COMMIT")
	transaction(2, "BEGIN", "SELECT outbox", "COMMIT")
	transaction(1, "BEGIN", "SELECT outbox", "UPDATE outbox", "COMMIT")
	b.end()
	want := []string{"db INSERT charges", "db COMMIT", "db UPDATE outbox", "db COMMIT #2"}
	if got := b.moments(op); !slices.Equal(got, want) {
		t.Errorf("moments %q, want %q", got, want)
	}
}

func BenchmarkBoardOff(b *testing.B) {
	x := newBoard(func(history.Event) {})
	s := wire.Step{Link: "db", Name: "COMMIT"}
	for b.Loop() {
		x.hook(s)
	}
}
