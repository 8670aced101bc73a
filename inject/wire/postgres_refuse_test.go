package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestPostgresRefusedCommit(t *testing.T) {
	p := newPgTest(t)
	for i, way := range pgWays {
		t.Run(way, func(t *testing.T) {
			p.exec(p.direct, "truncate charges")
			c := p.client(pgx.QueryExecModeExec)
			tr := &trace{strike: "before COMMIT", action: Refuse}
			for try, want := range []string{"40001", ""} {
				if err := p.try(c, way, "begin"); err != nil {
					t.Fatal(err)
				}
				if err := p.try(c, way, fmt.Sprintf("insert into charges values (%d, 1)", 10*i+try)); err != nil {
					t.Fatal(err)
				}
				p.link.Watch(tr.hook)
				err := p.try(c, way, "commit")
				p.link.Watch(nil)
				if sqlState(err) != want {
					t.Errorf("try %d: %v, want code %q", try, err, want)
				}
				if s := c.PgConn().TxStatus(); s != 'I' {
					t.Errorf("try %d: the client thinks %c", try, s)
				}
				if want == "40001" && p.rows() != "" {
					t.Errorf("rows %s after a refused COMMIT", p.rows())
				}
			}
			if p.rows() == "" {
				t.Error("the second COMMIT was not done")
			}
		})
	}
}

// A refused write leaves its transaction failed, as the server would.
func TestPostgresRefusedWrite(t *testing.T) {
	p := newPgTest(t)
	for _, way := range pgWays {
		for action, code := range map[Action]string{Refuse: "40001", ReadOnly: "25006"} {
			c := p.client(pgx.QueryExecModeExec)
			tr := &trace{strike: "before INSERT charges", action: action}
			p.link.Watch(tr.hook)
			_ = p.try(c, way, "begin")
			if err := p.try(c, way, "insert into charges values (1, 1)"); sqlState(err) != code {
				t.Errorf("%s: %v, want %s", way, err, code)
			}
			if err := p.try(c, way, "insert into charges values (2, 1)"); sqlState(err) != "25P02" {
				t.Errorf("%s: after the refusal %v", way, err)
			}
			if err := p.try(c, way, "commit"); err != nil || c.PgConn().TxStatus() != 'I' {
				t.Errorf("%s: COMMIT: %v", way, err)
			}
			want := `before BEGIN
after BEGIN: BEGIN
before INSERT charges
before INSERT charges
after INSERT charges: ERROR 25P02, refused
before COMMIT
after COMMIT: ROLLBACK, refused`
			if action == ReadOnly {
				want = strings.Replace(want, "before INSERT charges\n", "before INSERT charges\nafter INSERT charges: ERROR 25006, refused\n", 1)
			}
			if way == "prepared" { // its Parse failed already
				want = strings.Replace(want, "before INSERT charges\nafter INSERT charges: ERROR 25P02, refused\n", "", 1)
			}
			if tr.String() != want {
				t.Errorf("%s: steps\n%s\nwant\n%s", way, tr, want)
			}
			p.link.Watch(nil)
			p.exec(c, "insert into charges values (3, 1)")
			if p.rows() != "3" {
				t.Errorf("%s: rows %s", way, p.rows())
			}
			p.exec(c, "delete from charges")
			p.hangUp()
		}
	}
}

// A server that takes no writes still answers the rest.
func TestPostgresReadOnly(t *testing.T) {
	p := newPgTest(t)
	p.link.Watch(func(s Step) Action {
		if s.Phase == Before {
			return ReadOnly
		}
		return Pass
	})
	for _, way := range pgWays {
		c := p.client(pgx.QueryExecModeExec)
		for _, q := range []struct{ text, code string }{
			{"select * from charges", ""},
			{"begin", ""},
			{"select pg_advisory_xact_lock(1)", ""},
			{"commit", ""},
			{"select * from charges for update", "25006"},
			{"update charges set n = 1", "25006"},
			{"create table x ()", "25006"},
			{"insert into charges values (1, 1)", "25006"},
			{"select 1", ""},
		} {
			if err := p.try(c, way, q.text); sqlState(err) != q.code || err != nil && q.code == "" {
				t.Errorf("%s: %s: %v, want code %q", way, q.text, err, q.code)
			}
		}
	}
	if p.rows() != "" {
		t.Errorf("rows %s", p.rows())
	}
}

// What follows a refused statement before the Sync is not done and is no step.
func TestPostgresRefusedInPipeline(t *testing.T) {
	for refused, want := range map[string]string{"INSERT charges": "", "COMMIT": ""} {
		p := newPgTest(t)
		tr := &trace{strike: "before " + refused, action: Refuse}
		p.link.Watch(tr.hook)
		c := p.client(pgx.QueryExecModeCacheStatement)
		l := c.PgConn().StartPipeline(p.ctx)
		for _, text := range []string{"begin", "insert into charges values (1, 1)", "commit", "insert into charges values (2, 1)"} {
			l.SendQueryParams(text, nil, nil, nil, nil)
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); sqlState(err) != "40001" {
			t.Errorf("%s refused: %v", refused, err)
		}
		_ = p.try(c, "simple", "rollback")
		if p.rows() != want {
			t.Errorf("%s refused: rows %s", refused, p.rows())
		}
		p.exec(c, "insert into charges values (3, 1)")
		if p.rows() != "3" {
			t.Errorf("%s refused: rows %s, want 3", refused, p.rows())
		}
	}
}
