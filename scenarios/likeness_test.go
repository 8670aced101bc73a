package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/scenarios/target"
)

func TestPairsThatLookAlike(t *testing.T) {
	seen := map[string]string{}
	for _, how := range likenessNames() {
		for _, s := range []string{"r7-1", "r7-11", "r7-2", target.Key("r7-1")} {
			a, b, ok := alikePair(s, how)
			a2, b2, _ := alikePair(s, how)
			if !ok || a == b || a == "" || b == "" || a != a2 || b != b2 || !utf8.ValidString(a+b) {
				t.Fatalf("%s of %s: %q and %q, %v", how, s, a, b, ok)
			}
			for _, x := range []string{a, b} {
				by := how + " of " + s
				if n, err := strconv.ParseFloat(x, 64); err == nil { // the numeric ones share their first form
					by = fmt.Sprint("number of ", s, n > 1e16)
				} else if x == s {
					by = "itself"
				}
				if was := seen[x]; was != "" && was != by {
					t.Errorf("%q is %s and %s", x, was, by)
				}
				seen[x] = by
			}
		}
	}
	for _, c := range []struct{ s, how string }{{"1-2", "case"}, {"a", "nope"}, {strings.Repeat("a", 64), "prefix-64"}, {"", "blank"}} {
		if a, b, ok := alikePair(c.s, c.how); ok || a != "" || b != "" {
			t.Errorf("%s of %q: %q and %q", c.how, c.s, a, b)
		}
	}
	for _, n := range []int{64, 128, 190, 255} {
		a, b, _ := alikePair("r7-1", fmt.Sprintf("prefix-%d", n))
		if len(a) != n+1 || len(b) != n+1 || a[:n] != b[:n] || !strings.HasPrefix(a, "r7-1") {
			t.Errorf("prefix %d: %q and %q", n, a, b)
		}
	}
	a, b, _ := alikePair("r7-1", "digits")
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	if x != y {
		t.Errorf("%s and %s are not one float", a, b)
	}
	if likeInHeader("blank") || likeInHeader("nfc") || !likeInHeader("case") {
		t.Error("a header carries case, and neither a blank at its end nor é")
	}
}
