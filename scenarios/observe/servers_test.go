package observe

import (
	"database/sql"
	"os"
	"testing"
)

// server is the address of a server from the environment; without one the test
// is skipped, or fails where every server must be there.
func server(t *testing.T, variable, example string) string {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		how := "set " + variable + "=" + example + " to run this test"
		if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	return address
}

// mysqlTest is the URL of a database on MariaDB or MySQL, and a connection to it.
func mysqlTest(t *testing.T) (string, *sql.DB) {
	t.Helper()
	address := server(t, "IDEMCHECK_TEST_MYSQL", "mysql://root@127.0.0.1:3306/test")
	db, err := openMySQL(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.pool.Close() })
	return address, db.pool
}

func redisTest(t *testing.T) string {
	t.Helper()
	return server(t, "IDEMCHECK_TEST_REDIS", "redis://127.0.0.1:6379/0")
}
