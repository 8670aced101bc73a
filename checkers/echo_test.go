package checkers

import "testing"

// An answer that repeats another operation's id belongs to that one, even where
// nothing else in it tells operations apart.
func TestAnswerOfAStranger(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(id string) string
		shown  string // the id in the answer to r-2
		want   Verdict
	}{
		"its own":             {func(id string) string { return `{"order":"` + id + `"}` }, "r-2", Pass},
		"another's":           {func(id string) string { return `{"order":"` + id + `"}` }, "r-1", Fail},
		"nobody's":            {func(id string) string { return `{"order":"` + id + `"}` }, "r-9", Pass},
		"the last of all":     {func(id string) string { return `{"last_order":"` + id + `"}` }, "r-1", Pass},
		"another's in a text": {func(id string) string { return "order " + id + " is done" }, "r-1", Fail},
	} {
		b := newBook(rows1)
		b.calibrateWith(func(n string) []string { return []string{test.answer("c-" + n)} })
		b.open("x/charge", "separation", "exactly-once")
		tryPlain(b, "r-1", []string{test.answer("r-1")})
		tryPlain(b, "r-2", []string{test.answer(test.shown)})
		b.seen("r-1", 1)
		b.seen("r-2", 1)
		if c := Judge(b.done(), stated(t)).Cases[0]; c.Verdict != test.want {
			t.Errorf("%s: %s, want %s\n%v", name, c.Verdict, test.want, c.Violations)
		}
	}
}
