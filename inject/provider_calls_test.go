package inject

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/history"
)

// Calls of one operation that are in flight together are recorded, whatever
// becomes of them; a caller that has left holds nothing.
func TestProviderCallsAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		key, other string // of the second call, and its operation
		leaves     bool   // the first caller, before the second comes
		want       int
	}{
		"two keys":           {key: "k2", other: "o1", want: 1},
		"one key":            {key: "k1", other: "o1", want: 1},
		"two operations":     {key: "k2", other: "o2"},
		"the first has left": {key: "k2", other: "o1", leaves: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n notes
				p := card(&n)
				p.Arm(Fault{Name: "slow", Arg: "1s"}, "o1", 1)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				done := make(chan bool)
				go func() {
					r := httptest.NewRequestWithContext(ctx, "POST", "/v1/charges", strings.NewReader(charge("o1", 5)))
					r.Header.Set("Idempotency-Key", "k1")
					p.ServeHTTP(httptest.NewRecorder(), r)
					close(done)
				}()
				synctest.Wait()
				if c.leaves {
					leave()
				}
				p.call(t, c.key, charge(c.other, 5))
				<-done
				p.call(t, "k3", charge("o1", 5))
				if got := n.of(history.Moment); len(got) != c.want {
					t.Errorf("%+v, want %d", got, c.want)
				} else if c.want > 0 && (got[0].Op != "o1" || got[0].Name != "card-charge" || got[0].Attrs[history.AttrAtOnce] != "2") {
					t.Errorf("%+v", got[0])
				}
			})
		})
	}
}

func TestProviderKeepsVersionAndSums(t *testing.T) {
	var n notes
	p := card(&n)
	p.Version, p.Sums = "body /state", []string{"/amount", "/nothing"}
	p.call(t, "k1", `{"amount":12.50,"state":"paid","metadata":{"order":"o1"}}`)
	p.call(t, "k2", "amount=7&state=2&metadata[order]=o1")
	es := n.of(history.Effect)
	if len(es) != 2 || es[0].Attrs[history.AttrVersion] != "paid" || es[0].Attrs["sum./amount"] != "12.50" || len(es[0].Attrs) != 2 ||
		es[1].Attrs[history.AttrVersion] != "2" || es[1].Attrs["sum./amount"] != "7" {
		t.Errorf("%+v", es)
	}
	if p.Version = "nowhere"; p.Check() == nil {
		t.Error("a version that is nowhere was taken")
	}
}
