package doctor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/config"
)

// TestLink: what is wrong with a link is named, with the likely reason.
func TestLink(t *testing.T) {
	f, err := config.Parse("f", []byte(`
target: http://127.0.0.1:8080
operations: {charge: {send: POST /charges}}
links:
  db: {protocol: postgres, to: "127.0.0.1:5432"}
  cache: {protocol: tcp, to: "127.0.0.1:6379", listen: "127.0.0.1:16379"}
workers:
  api: {run: "./serve --db ${link.db}", env: {DATABASE_URL: "postgres://app@${link.db}/shop", DB: "${link.db}"}}
`), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	db, cache := f.Links[0], f.Links[1]
	for _, c := range []struct {
		link Link
		said config.Link
		err  error
		want string
	}{
		{Link{Name: "db", Protocol: "postgres", Passed: true, Moments: []string{"COMMIT"}}, db, nil, ""},
		{Link{Name: "cache", Protocol: "tcp", Passed: true}, cache, nil, ""},
		{Link{Name: "db", Protocol: "postgres"}, db, nil, "nothing passed through link db while the operations ran: does the service read DATABASE_URL (worker api), read DB (worker api), heed its arguments (worker api), or does it go past the link to 127.0.0.1:5432?"},
		{Link{Name: "cache", Protocol: "tcp"}, cache, nil, "does the service connect to 127.0.0.1:16379, or does it go past the link to 127.0.0.1:6379?"},
		{Link{Name: "db", Protocol: "postgres", Passed: true}, db, nil, "no step of postgres was seen"},
		{Link{Name: "db", Protocol: "postgres", Passed: true, Moments: []string{"COMMIT"}}, db, errors.New("link db: no PostgreSQL"), "link db: no PostgreSQL: its steps can not be relied on"},
	} {
		x := &examination{file: f}
		x.link(c.link, c.said, c.err)
		if got := strings.Join(x.Problems, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%+v\ngot  %q\nwant %q", c.link, got, c.want)
		}
	}
}

// TestMoments: each name once, of the calibration only.
func TestMoments(t *testing.T) {
	x := &examination{}
	for _, e := range []history.Event{
		{Name: "db COMMIT", Actor: "link/db"}, {Name: "db COMMIT #2", Actor: "link/db"}, {Name: "db INSERT charges", Actor: "link/db"},
		{Name: "after-effect", Actor: "point"}, {Name: "again", Actor: "provider/db"}, {Name: "db ROLLBACK", Actor: "link/db", Case: "overlap/charge"},
	} {
		e.Kind = history.Moment
		if e.Case == "" {
			e.Case = history.CaseCalibration
		}
		x.h.Events = append(x.h.Events, e)
	}
	if got := x.moments("link/db", "db "); !slices.Equal(got, []string{"COMMIT", "INSERT charges"}) {
		t.Errorf("%q", got)
	}
	if got := x.moments("point", ""); !slices.Equal(got, []string{"after-effect"}) {
		t.Errorf("%q", got)
	}
}
