package inject

import (
	"database/sql"
	"testing"
)

// OnDatabases runs a test on each kind of database that there is. place writes ?
// as its driver wants it.
func OnDatabases(t *testing.T, f func(t *testing.T, db *sql.DB, place func(string) string, mysql bool)) {
	onEngines(t, func(t *testing.T, e dbEngine, db *sql.DB) { f(t, db, e.sql, e.name == "mariadb") })
}
