package observe

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/idemcheck/idemcheck/internal/template"
)

type ager interface {
	Age(ctx context.Context, q Query, by time.Duration) error
}

// ages holds the words of an error, or that there is none.
func ages(t *testing.T, a ager, q Query, by time.Duration, want string) {
	t.Helper()
	err := a.Age(t.Context(), q, by)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) || strings.Contains(fmt.Sprint(err), "s3cret") {
		t.Errorf("%v %s: got %v, want %q", q, by, err, want)
	}
}

func parsed(t *testing.T, s string) template.Text {
	t.Helper()
	text, err := template.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ageTable ages rows of a table of any database: at is in seconds.
func ageTable(t *testing.T, url string, db *sql.DB) {
	exec := func(text string) {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	at := func(key string) (n float64) {
		if err := db.QueryRow("select at from aged where k = '" + key + "'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	exec("create table aged (k varchar(40), o varchar(40), at decimal(20,3))")
	defer exec("drop table aged")
	exec("insert into aged values ('k1', 'o1', 100000), ('k2', 'o2', 100000)")
	open := func(execs ...string) *AgeSQL {
		a, err := OpenAge(url, execs, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	byKey := open("update aged set at = at - :seconds where k in (:keys)")
	ages(t, byKey, Query{IDs: []string{"o1"}, Keys: []string{"k1", "k9"}}, 2*time.Second+200*time.Millisecond, "")
	if at("k1") != 100000-2.2 || at("k2") != 100000 || !byKey.Timed() {
		t.Errorf("got %v, %v", at("k1"), at("k2"))
	}
	ages(t, byKey, Query{Keys: []string{"k9"}}, time.Hour, "exec changed no row, so nothing was aged (asked for k9)")
	ages(t, byKey, Query{IDs: []string{"o1"}}, time.Hour, "nothing was aged")
	both := open("update aged set at = 0 where k in (:keys)", "update aged set at = 1 where o in (:ids) and :run = 'r'")
	ages(t, both, Query{IDs: []string{"o2"}, Keys: []string{"k1"}, Run: "r"}, time.Hour, "")
	if at("k1") != 0 || at("k2") != 1 || both.Timed() {
		t.Errorf("got %v, %v", at("k1"), at("k2"))
	}
	if err := errors.Join(byKey.Check(t.Context()), both.Check(t.Context())); err != nil {
		t.Error(err)
	}
	if err := open("update aged set nope = 1 where k in (:keys)").Check(t.Context()); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("got %v", err)
	}
	// A statement that fails takes back the one before it.
	ages(t, open("update aged set at = 7 where k in (:keys)", "update nowhere set at = 1 where k in (:keys)"), Query{Keys: []string{"k1"}}, time.Hour, "nowhere")
	if at("k1") != 0 {
		t.Error("half of it was kept")
	}
}

func TestAgeSQLite(t *testing.T) {
	path := shop(t)
	db, err := sql.Open("sqlite", fileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ageTable(t, "sqlite:"+path, db)
	for execs, want := range map[string]string{
		"update c set a = 1":                   "exec: it has none of the parameters",
		"update c set a = :second where :keys": "exec, line 1: unknown parameter :second",
	} {
		if _, err := OpenAge("sqlite:"+path, []string{execs}, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	gone, err := OpenAge("sqlite:./gone.db", []string{"delete from c where :run"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	ages(t, gone, Query{}, 0, "age: sql: sqlite:./gone.db: no database file")
}

func TestAgePostgres(t *testing.T) {
	url := postgresTest(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ageTable(t, url, db)
	a, err := OpenAge(url, []string{"update c set at = at - make_interval(secs => :seconds), big = big - :seconds, tenant = :seconds || ' s' where k::text in (:keys)"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, by := range []time.Duration{25 * time.Hour, 2200 * time.Millisecond} {
		ages(t, a, Query{Keys: []string{"3f1c0000-0000-4000-8000-000000000001"}}, by, "")
	}
}

func TestAgeMySQL(t *testing.T) {
	url, db := mysqlTest(t)
	ageTable(t, url, db)
}

func redisOn(t *testing.T, url string, keys ...string) *AgeRedis {
	var texts []template.Text
	for _, k := range keys {
		texts = append(texts, parsed(t, k))
	}
	a, err := OpenAgeRedis(url, texts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestAgeRedis(t *testing.T) {
	server := miniredis.RunT(t)
	set := func(key string, life time.Duration) {
		server.Set(key, "x")
		server.SetTTL(key, life)
	}
	set("idem:k1", 24*time.Hour)
	set("lock:o1", time.Hour)
	set("idem:alice:k2", time.Minute)
	a := redisOn(t, "redis://"+server.Addr()+"/0", "idem:${key}", "lock:${id}")
	q := Query{IDs: []string{"o1"}, Keys: []string{"k1", "k9"}}
	ages(t, a, q, 30*time.Minute, "")
	if k, o := server.TTL("idem:k1"), server.TTL("lock:o1"); k != 23*time.Hour+30*time.Minute || o != 30*time.Minute {
		t.Errorf("left %s, %s", k, o)
	}
	ages(t, a, q, 2*time.Hour, "")
	if server.Exists("lock:o1") || !server.Exists("idem:k1") {
		t.Error("the key that had less left is not the one that went")
	}
	ages(t, a, q, 24*time.Hour, "")
	ages(t, a, q, time.Hour, "no such key, so nothing was aged: idem:k1, idem:k9, lock:o1")
	ages(t, a, Query{}, time.Hour, "nothing was aged")
	server.Set("idem:k1", "for ever")
	ages(t, a, q, time.Hour, "these keys never expire, so they can not be made older: idem:k1")
	scoped := redisOn(t, "redis://"+server.Addr(), "idem:${scope}:${key}")
	ages(t, scoped, Query{Keys: []string{"k2"}, Scope: "alice"}, time.Minute, "")
	if server.Exists("idem:alice:k2") || scoped.Check(t.Context()) != nil {
		t.Error("not aged")
	}
	server.RequireAuth("other")
	ages(t, redisOn(t, "redis://:s3cret@"+server.Addr()+"/0", "${key}"), q, 0, "age: redis "+server.Addr()+"/0: WRONGPASS")
	if _, err := OpenAgeRedis("redis://u:s3cret%zz@h/0", nil); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

func TestAgeRedisServer(t *testing.T) {
	url := redisTest(t)
	a := redisOn(t, url, "idemcheck-test-age:${key}")
	for _, by := range []time.Duration{time.Hour, 23 * time.Hour} {
		if by == time.Hour {
			a.client.Set(t.Context(), "idemcheck-test-age:k", "x", 24*time.Hour)
		}
		ages(t, a, Query{Keys: []string{"k"}}, by, "")
		left := a.client.PTTL(t.Context(), "idemcheck-test-age:k").Val()
		if by == time.Hour && (left > 23*time.Hour || left < 22*time.Hour) || by != time.Hour && left != noKey {
			t.Errorf("after %s left %s", by, left)
		}
	}
}

func TestAgeHTTP(t *testing.T) {
	said := make(chan string, 9)
	h := api(t, "POST /admin/age?key=${key}&s=${seconds}", "", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said <- fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Content-Type"), body)
		if r.URL.Query().Get("key") == "bad" {
			http.Error(w, "no such key", 404)
		}
	})
	a := &AgeHTTP{JSON: true, Body: template.Node{Kind: template.Mapping, Fields: []template.Field{{Name: "by", Node: template.Node{Kind: template.String, Text: parsed(t, "${seconds}")}}}}}
	a.Method, a.URL, a.Base = h.Method, h.URL, h.Base
	defer a.Close()
	ages(t, a, Query{IDs: []string{"o"}, Keys: []string{"k/1", "k/1"}}, 90*time.Minute, "")
	if got, want := <-said, `POST /api/admin/age?key=k%2F1&s=5400 application/json {"by":5400}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ages(t, a, Query{Keys: []string{"bad"}}, time.Hour, `answered 404: "no such key"`)
	ages(t, a, Query{IDs: []string{"o"}}, time.Hour, "no id or key was sent")
	a.URL = parsed(t, "/admin/clock?s=${seconds}")
	ages(t, a, Query{Keys: []string{"a", "b"}}, time.Hour, "")
	<-said
	if got := <-said; !strings.Contains(got, "clock?s=3600") || len(said) != 0 {
		t.Errorf("got %s and %d more", got, len(said))
	}
}

// commandEnv makes the test binary a command of a user's.
const commandEnv = "OBSERVE_TEST_COMMAND"

// asCommand is a command that does what is named, see fakeCommand.
func asCommand(t *testing.T, what string) []string {
	t.Setenv(commandEnv, what)
	return []string{os.Args[0]}
}

func TestAgeCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	q := Query{IDs: []string{"o 1"}, Keys: []string{"k"}, Run: "r"}
	ages(t, AgeCommand{asCommand(t, "save "+file)}, q, 90*time.Second, "")
	var got struct {
		In  asked
		Env []string
	}
	b, _ := os.ReadFile(file)
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if want := `["o 1"] ["k"] r 90`; strings.Join(got.Env, " ") != want || got.In.Seconds != 90 || got.In.IDs[0] != "o 1" || got.In.Run != "r" {
		t.Errorf("got %+v", got)
	}
	ages(t, AgeCommand{asCommand(t, "fail")}, q, time.Second, "exit status 3: no such key")
	ages(t, AgeCommand{[]string{"./nowhere"}}, q, time.Second, "age: command ./nowhere")
	if err := (AgeCommand{[]string{"./nowhere"}}).Check(t.Context()); err == nil {
		t.Error("want an error")
	}
}

// A command that is ended takes with it what it started, which held its output open.
func TestCommandEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("process groups are of Unix")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	file := filepath.Join(t.TempDir(), "said")
	argv := asCommand(t, "children "+file)
	go func() {
		for {
			if _, err := os.Stat(file); err == nil || ctx.Err() != nil {
				cancel(io.ErrClosedPipe)
				return
			}
		}
	}()
	if _, err := command(ctx, argv, asked{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestAgeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ages(t, AgeWait{Most: time.Minute}, Query{}, time.Minute, "")
		if time.Since(begin) != time.Minute {
			t.Errorf("waited %s", time.Since(begin))
		}
		ages(t, AgeWait{Most: time.Minute}, Query{}, time.Hour, "a wait of 1h0m0s is longer than the run may take")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(io.ErrClosedPipe)
		if err := (AgeWait{Most: time.Minute}).Age(ctx, Query{}, time.Second); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}
