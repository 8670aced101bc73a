package history

import "testing"

func TestPassage(t *testing.T) {
	for _, p := range []Passage{
		{}, {Conn: 3, Text: "COMMIT"}, {After: true, Conn: 1, Reply: "ERROR 40001", Refused: true}, {After: true, Durable: true, Reply: "COMMIT"},
	} {
		e := Event{Kind: Moment, Attrs: p.Attrs()}
		if got, ok := e.Passage(); !ok || got != p {
			t.Errorf("%+v came back as %+v, %v", p, got, ok)
		}
	}
	for _, e := range []Event{{Kind: Moment}, {Kind: Mark, Attrs: Passage{}.Attrs()}, {Kind: Moment, Attrs: map[string]string{AttrAtOnce: "1"}}} {
		if p, ok := e.Passage(); ok {
			t.Errorf("%+v is no step: %+v", e, p)
		}
	}
}
