package config

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is a database with one table, and its URL.
func shop(t *testing.T) string {
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "shop.db"))
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table charges (order_id text, k text); insert into charges values ('r-1', 'k-1'), ('r-1', 'k-2')"); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + file
}

func parse(t *testing.T, text string, env map[string]string) *File {
	t.Helper()
	f, err := Parse("f", []byte(text), func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSystem(t *testing.T) {
	var request string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		request = fmt.Sprintf("%s %s %s %s %s %s", r.Method, r.URL, r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization"), r.UserAgent(), b)
		fmt.Fprint(w, `{"data": [1]}`)
	}))
	defer service.Close()
	f := parse(t, `
target: ${BASE}
operations:
  charge: {send: POST /charges, body: {order: "${id}", amount: 5}}
scopes: {alice: {headers: {Authorization: "Bearer ${TOKEN}"}}}
effects:
  row: {sql: "${DB}", query: "select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1"}
  api: {http: "GET /charges?order=${id}", count: /data}
  card: {provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /order, answer: {status: 202, body: {id: "c-${n}", order: "${id}"}}}}
rules: [{name: twice, sql: "${DB}", empty: "select order_id from charges where order_id like :run || '%'"}]
`, map[string]string{"BASE": service.URL, "TOKEN": "t0p-secret", "DB": shop(t)})
	sys, closeAll, err := f.System(Options{Run: "r", Seed: 1, Agent: "idemcheck/0"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if err := f.Ask(t.Context(), sys); err != nil {
		t.Error(err)
	}
	if o := sys.Operations[0]; !o.Test || o.Keyless || !o.OwnBody || !o.Variable || !o.JSON {
		t.Errorf("%+v", o)
	}
	m, err := sys.Target.Render(target.Attempt{Operation: "charge", ID: "r-1", Key: "k", Number: 1, Attempt: 1, Scope: "alice"}, inject.Fault{})
	if err != nil {
		t.Fatal(err)
	}
	a := sys.Target.Send(t.Context(), m)
	if want := `POST /charges k Bearer t0p-secret idemcheck/0 run/r {"order":"r-1","amount":5}`; a.Status != "200" || request != want {
		t.Errorf("%s %v, got %s\nwant %s", a.Status, a.Err, request, want)
	}
	for i, want := range []int{2, 1} {
		got, err := sys.Observers[i].Read.Read(t.Context(), observe.Query{IDs: []string{"r-1"}, Run: "r"})
		if err != nil || len(got) != 1 || got[0].N != want || sys.Observers[i].By != "id" {
			t.Errorf("observer %s: %v %v, want %d", sys.Observers[i].Name, got, err, want)
		}
	}
	if rows, n, err := sys.Checks[0].Rows(t.Context()); err != nil || n != 2 || len(rows) != 2 {
		t.Errorf("rule: %v %d %v", rows, n, err)
	}
	card := httptest.NewRecorder()
	sys.Providers["card"].ServeHTTP(card, httptest.NewRequest("POST", "/v1/charges", strings.NewReader(`{"order":"r-1"}`)))
	if card.Code != 202 || card.Body.String() != `{"id":"c-1","order":"r-1"}` || sys.Observers[2].Read != nil {
		t.Errorf("stand-in: %d %s", card.Code, card.Body)
	}
}

// TestSystemRefused holds what only the world can tell.
func TestSystemRefused(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	env := map[string]string{"DB": shop(t), "GONE": "sqlite:./gone.db", "PORT": busy.Addr().String()}
	for _, c := range []struct{ effect, want string }{
		{`{sql: "${DB}", query: "select k as id from charges where k in (:keys)", by: key}`, "the query's columns report the id; say  by: id"},
		{`{sql: "${DB}", query: "select order_id from charges where order_id in (:ids)"}`, "effect e: query: no column is named id or key"},
		{`{sql: "${DB}", query: "select k as key from charges where k in (:keys)", by: id}`, "effect e: the query's columns report the key; say  by: key"},
		{`{sql: "${DB}", query: "select id from orders where id in (:ids)"}`, "no such table: orders"},
		{`{sql: "${GONE}", query: "select id from orders where id in (:ids)"}`, "no database file"},
		{`{provider: {listen: "${PORT}", effect: POST /x, id: header X}}`, "effect e: can not listen on " + env["PORT"]},
	} {
		f := parse(t, "target: http://127.0.0.1:1\noperations: {a: {send: POST /a}}\neffects:\n  e: "+c.effect+"\n", env)
		sys, closeAll, err := f.System(Options{Run: "r"})
		if err == nil {
			err = f.Ask(t.Context(), sys)
			closeAll()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.effect, err, c.want)
		}
	}
}

// TestDatabaseHosts: a database off loopback is touched only if it is allowed.
func TestDatabaseHosts(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://app@127.0.0.1/shop":                     "",
		"postgres://app@[::1]:5432/shop":                    "",
		"postgres:///shop?host=/var/run/postgresql":         "",
		"postgres://app@db.example/shop":                    "host db.example is not allowed",
		"postgresql://app@localhost:1,db.example:2/shop":    "host db.example is not allowed",
		"postgres://app@127.0.0.1/shop?host=db.example":     "host db.example is not allowed",
		"postgres:///shop":                                  "host far.example is not allowed",
		"sqlite:./shop.db":                                  "",
		"postgres://app:pa ss-secret@db.example:port:/shop": "can not be read",
	} {
		_, err := Parse("f", []byte("target: http://127.0.0.1:1\noperations: {a: {send: POST /a}}\neffects:\n  e: {sql: \"${DB}\", query: \"select id from a where id in (:ids)\"}\n"),
			func(name string) (string, bool) {
				v, ok := map[string]string{"DB": url, "PGHOST": "far.example"}[name]
				return v, ok
			})
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: got %v\nwant %q", url, err, want)
		}
	}
}
