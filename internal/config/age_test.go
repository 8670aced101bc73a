package config

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// TestAge: each kind of age: is made into something that ages.
func TestAge(t *testing.T) {
	var asked string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.String() }))
	defer service.Close()
	redis := miniredis.RunT(t)
	redis.Set("idem:k-1", "x")
	redis.SetTTL("idem:k-1", time.Hour)
	env := map[string]string{"BASE": service.URL, "DB": shop(t), "REDIS": "redis://" + redis.Addr()}
	q := observe.Query{IDs: []string{"r-1"}, Keys: []string{"k-1"}, Run: "r"}
	for _, c := range []struct {
		age, check, fails string
		by                time.Duration
	}{
		{age: `{sql: "${DB}", exec: "update charges set k = k || :seconds where k in (:keys)"}`},
		{age: `{sql: "${DB}", exec: ["update charges set order_id = 'old' where order_id in (:ids)"], by: 25h}`, by: 25 * time.Hour},
		{age: `{sql: "${DB}", exec: "update charges set gone = 1 where k in (:keys)", by: 25h}`, check: "no such column: gone", fails: "gone", by: 25 * time.Hour},
		{age: `{redis: "${REDIS}", keys: "idem:${key}"}`},
		{age: `{redis: "redis://127.0.0.1:1", keys: ["idem:${id}"]}`, check: "refused", fails: "refused"},
		{age: `{http: "POST /age/${key}?s=${seconds}"}`},
		{age: `{command: ["./gone", a]}`, check: "./gone", fails: "./gone"},
		{age: `{command: ./gone a, by: 1h}`, check: "./gone", fails: "./gone", by: time.Hour},
		{age: `{wait: true}`, fails: "longer than the run may take"},
	} {
		f := parse(t, "target: ${BASE}\noperations: {a: {send: POST /a}}\nage: "+c.age+"\n", env)
		sys, closeAll, err := f.System(Options{Run: "r"})
		if err != nil {
			t.Fatal(err)
		}
		says := func(what, want string, err error) {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s %s: got %v, want %q", what, c.age, err, want)
			}
		}
		says("check", c.check, f.Ask(t.Context(), sys))
		says("age", c.fails, sys.Age.Age(t.Context(), q, 30*time.Minute))
		if sys.AgeBy != c.by {
			t.Errorf("%s: by %s", c.age, sys.AgeBy)
		}
		closeAll()
	}
	if left := redis.TTL("idem:k-1"); left != 30*time.Minute || asked != "/age/k-1?s=1800" {
		t.Errorf("left %s, asked %s", left, asked)
	}
}
