package target

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject"
)

func TestMalform(t *testing.T) {
	key, other := Key("r7-1"), Key(Key("r7-1"))
	op := charge(t)
	op.More = []Carrier{carrier(t, "query k"), carrier(t, "body /key")}
	h := target(t, "http://h", op)
	h.Longest = 300
	long := key + "-" + strings.Repeat("x", 344-len(key))
	for _, c := range []struct {
		how, key, keyless string
		quoted            bool
		header            []string
		query, body       string
	}{
		{"empty", "", "dropped", false, []string{""}, "&k=", `"key":""`},
		{"empty", "", "dropped", true, []string{`""`}, "&k=", `"key":""`},
		{"blank", "", "dropped", false, []string{"  "}, "&k=++", `"key":"  "`},
		{"over-long", long, "", true, []string{`"` + long + `"`}, "&k=" + long, `"key":"` + long},
		{"doubled", key + ", " + other, "", false, []string{key, other}, "&k=" + key + "&k=" + other, `"key":["` + key + `","` + other + `"]`},
		{"non-ascii", key + "-é€", "", false, []string{key + "-é€"}, "&k=" + key + "-%C3%A9%E2%82%AC", `"key":"` + key + `-é€"`},
		{"", `"` + key + `\`, "", true, []string{`"` + key + `\`}, "&k=%22" + key + "%5C", `"key":"\"` + key + `\\"`},
	} {
		h.Quoted = c.quoted
		m := render(t, h, attempt(), inject.Fault{Name: inject.MalformKey.Name, Arg: c.how})
		if m.Key != c.key || m.Keyless != c.keyless || cmp.Diff(c.header, m.Header["Idempotency-Key"]) != "" ||
			!strings.HasSuffix(m.URL, c.query) || !strings.Contains(string(m.Body), c.body) {
			t.Errorf("%s: got %+v with body %s", c.how, m, m.Body)
		}
	}
	if plain := render(t, h, attempt(), inject.Fault{}); plain.Header.Get("Idempotency-Key") != `"`+key+`"` {
		t.Errorf("%+v", plain)
	}
}
