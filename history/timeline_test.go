package history

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func ms(n float64) int64 { return int64(n * float64(time.Millisecond)) }

// timelines are the operations whose pictures are kept in testdata/NAME.txt.
var timelines = map[string]struct {
	events    []Event
	witnesses []int64
}{
	"lost-answer": {
		events: []Event{
			{Kind: Mark, Name: MarkCase, Case: "lost-answer/charge"},
			{Kind: Mark, Name: MarkArmed, Case: "lost-answer/charge", Op: "12"},
			{At: ms(1000), Kind: Invoke, Op: "12", Key: "3f1c9a6e-1111-4222-8333-444444444444", Attempt: 1, Actor: "client", Payload: "p", Attrs: map[string]string{AttrRequest: "POST /charges", AttrRaw: "r"}},
			{At: ms(1004), Kind: Effect, Op: "12", Name: "charge", Key: "p-81", Count: 1, Actor: "provider/card"},
			{At: ms(1006), Kind: Fault, Op: "12", Name: "lose-answer", Actor: "idemcheck", Hidden: `201 {"id":"ch_1","amount":5}`},
			{At: ms(1007.9), Kind: Unknown, Op: "12", Attempt: 1, Actor: "client", Status: "reset", Cause: "read: connection reset by peer", Hidden: `201 {"id":"ch_1","amount":5}`},
			{At: ms(1058), Kind: Invoke, Op: "12", Key: "3f1c9a6e-1111-4222-8333-444444444444", Attempt: 2, Actor: "client", Payload: "p", Attrs: map[string]string{AttrRequest: "POST /charges", AttrRaw: "r"}},
			{At: ms(1061), Kind: Effect, Op: "12", Name: "charge", Key: "p-82", Count: 2, Actor: "provider/card"},
			{At: ms(1063), Kind: OK, Op: "12", Attempt: 2, Actor: "client", Status: "201", Body: `{"id":"ch_2","amount":5}`},
			{At: ms(1070), Kind: Mark, Name: MarkSettled, Op: "12"},
		},
		witnesses: []int64{4, 8},
	},
	"variants": {
		events: []Event{
			{At: 1, Kind: Invoke, Op: "12", Name: "charge", Key: "order-7-aaaaaaaaaaaa", Attempt: 1, Actor: "client", Payload: "p", Attrs: map[string]string{AttrRaw: "r"}},
			{At: 2, Kind: Invoke, Op: "12", Name: "charge", Key: "order-7-bbbbbbbbbbbb", Attempt: 2, Actor: "client-2", Payload: "p", Attrs: map[string]string{AttrRaw: "s"}},
			{At: 3, Kind: Invoke, Op: "12", Name: "charge", Attempt: 3, Actor: "client", Payload: "q", Attrs: map[string]string{AttrRaw: "t", AttrVariant: "/amount", AttrKeyless: "dropped"}},
			{At: 4, Kind: Invoke, Op: "12", Name: "charge", Attempt: 4, Actor: "client", Payload: "q", Attrs: map[string]string{AttrRaw: "t"}},
			{At: ms(2.26), Kind: OK, Op: "12", Attempt: 2, Actor: "client-2", Status: "200", Body: `{"request_id":"r1","chargeId":77,"x_id":{"a":1}}`},
			{At: ms(2.5), Kind: Refused, Op: "12", Attempt: 1, Actor: "client", Status: "422", Body: "key used\nwith another body \x1b[31m and much more to say about that"},
			{At: ms(3), Kind: Unknown, Op: "12", Attempt: 3, Actor: "client", Status: "502", Hidden: "201 created"},
			{At: ms(3), Kind: Fault, Op: "12", Attempt: 3, Name: "delay", Actor: "idemcheck", Cause: "waited", Attrs: map[string]string{AttrArg: "50ms"}},
			{At: ms(4), Kind: Effect, Op: "12", Name: "charge-row", Count: 3},
			{At: ms(5), Kind: Mark, Name: MarkAged, Op: "12", Actor: "idemcheck", Attrs: map[string]string{"by": "25h0m0s"}},
			{At: ms(6), Kind: Mark, Name: MarkSettled, Op: "12", Actor: "idemcheck", Attrs: map[string]string{"stable": "true", "waited": "10s"}},
			{At: ms(7), Kind: Mark, Name: MarkNote, Op: "12", Actor: "idemcheck", Cause: "looks odd"},
		},
		witnesses: []int64{6, 11, 99},
	},
	"long": {events: longOperation(), witnesses: []int64{60, 61}},
}

func longOperation() []Event {
	var events []Event
	for i := range 60 {
		e := Event{At: ms(float64(i) * 1000), Kind: Invoke, Op: "12", Key: "k", Attempt: i + 1, Actor: "client", Attrs: map[string]string{AttrRequest: "GET /"}}
		events = append(events, e)
		e.At, e.Kind, e.Status, e.Attrs = e.At+ms(1), OK, "200", nil
		events = append(events, e)
	}
	return events
}

func TestTimelineGolden(t *testing.T) {
	for name, c := range timelines {
		for op := range numbered(c.events...).Operations() {
			var b strings.Builder
			if err := Timeline(&b, op, c.witnesses); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+".txt"), b.String())
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s (go test -update rewrites it)\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

func TestTimelineOfManyWitnesses(t *testing.T) {
	var witnesses []int64
	for i := range 120 {
		witnesses = append(witnesses, int64(i+1))
	}
	for op := range numbered(longOperation()...).Operations() {
		var b strings.Builder
		if err := Timeline(&b, op, witnesses); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n != maxRows+2 || !strings.Contains(b.String(), "… 80 more") {
			t.Errorf("%d lines:\n%s", n, b.String())
		}
	}
}

func TestTimelineEmpty(t *testing.T) {
	var b strings.Builder
	if err := Timeline(&b, Operation{}, nil); err != nil || b.String() != "  ms  actor  try  event\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	broken := errors.New("broken")
	if err := Timeline(&failing{err: broken}, Operation{}, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestShortKeys(t *testing.T) {
	for _, c := range []struct{ keys, want []string }{
		{[]string{"3f1c9a6e-1111-4222-8333-444444444444"}, []string{"3f1c…"}},
		{[]string{"3f1c9a6e-1111-4222", "3f1d9a6e-1111-4222"}, []string{"3f1c…", "3f1d…"}},
		{[]string{"3f1c9a6e-1111-4222", "3f1c9b6e-1111-4222", "p-81"}, []string{"3f1c9a…", "3f1c9b…", "p-81"}},
		{[]string{"same-beginning-1", "same-beginning-2"}, []string{"same-beginning-1", "same-beginning-2"}},
		{[]string{"twelve-chars", "a\nb"}, []string{"twelve-chars", "a b"}},
	} {
		var events []*Event
		for _, k := range c.keys {
			events = append(events, &Event{Key: k})
		}
		short := shortKeys(events)
		for i, k := range c.keys {
			if short[k] != c.want[i] {
				t.Errorf("%v: %s is shown as %s, want %s", c.keys, k, short[k], c.want[i])
			}
		}
	}
}

func ExampleTimeline() {
	h := History{Events: []Event{
		{Seq: 1, At: 0, Kind: Invoke, Op: "order-1", Key: "k-1", Attempt: 1, Actor: "client", Attrs: map[string]string{AttrRequest: "POST /charges"}},
		{Seq: 2, At: 4e6, Kind: Effect, Op: "order-1", Name: "card-charge", Count: 1, Actor: "provider/card"},
		{Seq: 3, At: 7e6, Kind: Unknown, Op: "order-1", Attempt: 1, Actor: "client", Status: "reset"},
		{Seq: 4, At: 57e6, Kind: Invoke, Op: "order-1", Key: "k-1", Attempt: 2, Actor: "client", Attrs: map[string]string{AttrRequest: "POST /charges"}},
		{Seq: 5, At: 61e6, Kind: Effect, Op: "order-1", Name: "card-charge", Count: 2, Actor: "provider/card"},
		{Seq: 6, At: 63e6, Kind: OK, Op: "order-1", Attempt: 2, Actor: "client", Status: "201", Body: `{"id":"ch_2"}`},
	}}
	for op := range h.Operations() {
		if err := Timeline(os.Stdout, op, []int64{2, 5}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	//   ms  actor          try  event
	//    0  client          1   invoke    POST /charges  key k-1
	//    4  provider/card       ! effect  card-charge 1
	//    7  client          1   unknown   connection reset
	//   57  client          2   invoke    POST /charges  key k-1
	//   61  provider/card       ! effect  card-charge 2
	//   63  client          2   ok        201 ch_2
}
