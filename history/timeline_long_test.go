package history

import (
	"strings"
	"testing"
	"time"
)

// Hours are not told in milliseconds.
func TestTimelineOfADay(t *testing.T) {
	at := func(d time.Duration, k Kind) *Event {
		return &Event{At: int64(time.Second + d), Kind: k, Op: "o", Attempt: 1, Actor: "client"}
	}
	for d, want := range map[time.Duration]string{
		23*time.Hour + time.Nanosecond: " time  actor   try  event\n   0s  client   1   invoke\n23h0m0s  client   1   ok\n",
		9 * time.Minute:                "  ms  actor   try  event\n   0  client   1   invoke\n540000  client   1   ok\n",
	} {
		begin, end := at(0, Invoke), at(d, OK)
		var b strings.Builder
		op := Operation{ID: "o", Attempts: []Attempt{{Begin: begin, End: end}}}
		if err := Timeline(&b, op, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(b.String()), " "); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%v:\n%s", d, b.String())
		}
	}
}
