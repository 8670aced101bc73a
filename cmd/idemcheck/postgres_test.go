package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestPostgres runs the command against the payments service as a process of
// its own on PostgreSQL.
func TestPostgres(t *testing.T) {
	server := needPostgres(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/postgres",
		RequireExplicitExec: true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			db := database(t, server)
			u, err := url.Parse(db)
			if err != nil {
				return err
			}
			env.Setenv("DB", db)
			env.Setenv("DBHOST", u.Host)
			env.Setenv("DBUSER", u.User.String())
			env.Setenv("DBNAME", u.Path[1:])
			env.Setenv("DB2", database(t, server))
			return nil
		},
	})
}

// needPostgres is the address of a PostgreSQL server for tests.
func needPostgres(t *testing.T) string {
	t.Helper()
	server := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if server == "" {
		missing(t, "needs PostgreSQL: set IDEMCHECK_TEST_POSTGRES=postgres://user@127.0.0.1:5432/postgres?sslmode=disable")
	}
	return server
}

// missing skips a test that needs what is not there; IDEMCHECK_REQUIRE=all makes that a failure.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// database makes a database for the length of the test.
func database(t *testing.T, server string) string {
	t.Helper()
	name := "idemcheck_" + randomText()
	exec := func(ctx context.Context, statement string) {
		db, err := sql.Open("pgx", server)
		if err == nil {
			_, err = db.ExecContext(ctx, statement)
			db.Close()
		}
		if err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	exec(t.Context(), "create database "+name)
	t.Cleanup(func() { exec(context.Background(), "drop database "+name+" with (force)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func randomText() string {
	b := make([]byte, 6)
	rand.Read(b)
	return fmt.Sprintf("%x", b)
}
