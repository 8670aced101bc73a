package sqltest

import (
	"context"
	"database/sql"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// An SQLite database works in a bubble; whether it was opened there is of no matter.
func TestDatabaseInBubble(t *testing.T) {
	for _, c := range []struct {
		fault inject.Fault
		how   func(*dbShop, context.Context, string) error
		want  checkers.Verdict
	}{
		{inject.Overlap, looksFirst, checkers.Fail}, {inject.Overlap, sound, checkers.Pass},
		{inject.LoseReply, triesAgain, checkers.Fail}, {inject.KillAfter, sound, checkers.Pass},
	} {
		outside, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			t.Fatal(err)
		}
		outside.SetMaxOpenConns(1)
		synctest.Test(t, func(t *testing.T) {
			within, err := sql.Open("sqlite", ":memory:")
			if err != nil {
				t.Fatal(err)
			}
			defer within.Close()
			within.SetMaxOpenConns(1)
			for _, db := range []*sql.DB{outside, within} {
				h := shopHistory(t, dialect{sql: func(text string) string { return text }}, db, c.fault, c.how)
				if r := checkers.Judge(h, contract.Contract{}, checkers.ExactlyOnce); r.Verdict() != c.want {
					t.Errorf("%s: %s %v", c.fault, r.Verdict(), reasons(r))
				}
			}
		})
		outside.Close()
	}
}
