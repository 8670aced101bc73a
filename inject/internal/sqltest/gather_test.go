package sqltest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// looksOutside claims, looks, and charges in a transaction that does not hold the look.
func looksOutside(s *dbShop, ctx context.Context, order string) error {
	if _, err := s.claim(ctx, s.db, order); err != nil {
		return err
	}
	if n, err := s.count(ctx, s.db, "charges", order); err != nil || n > 0 {
		return err
	}
	return s.in(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, "charges", order) })
}

// Attempts that overlap meet before they begin a transaction, where they hold no
// connection that the others need.
func TestMeetBeforeBegin(t *testing.T) {
	onEngines(t, func(t *testing.T, e dbEngine, db *sql.DB) {
		h := shopHistory(t, dialect{e.sql, e.name == "mariadb"}, db, inject.Overlap, looksOutside)
		r := checkers.Judge(h, contract.Contract{}, checkers.ExactlyOnce)
		if found := len(reasons(r)); r.Verdict() != checkers.Fail || found != r.Faults {
			t.Errorf("%s, %d of %d overlaps: %v", r.Verdict(), found, r.Faults, reasons(r))
		}
	})
}
