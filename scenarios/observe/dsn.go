package observe

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // driver "sqlite"
)

const wantURL = "want postgres://user@host/db, mysql://user@host/db, sqlite:./file.db or file:./file.db"

// database is where a query goes. Nothing is connected before the first query.
type database struct {
	dialect dialect
	shown   string // the URL without its password
	secrets []string
	file    string // SQLite: the path, which must exist; "" for one in memory
	pool    *sql.DB
}

// open reads the URL, whose scheme picks the driver. What is not opened to be
// written only reads.
func open(text string, write bool) (*database, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case "postgres", "postgresql":
		return openPostgres(text)
	case "sqlite", "file":
		return openSQLite(text, scheme, rest, write)
	case "mysql", "mariadb":
		return openMySQL(text)
	}
	if !strings.Contains(text, ":") {
		return nil, errors.New("sql: this is no database URL; " + wantURL)
	}
	return nil, fmt.Errorf("sql: no driver for %q; %s", scheme+":", wantURL)
}

// openPostgres never quotes the URL or the parser's words in an error: where a
// URL is malformed, any part of it may be a piece of the password.
func openPostgres(text string) (*database, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("sql: the postgres URL can not be read; characters such as @ / : # % in its password must be percent-encoded")
	}
	d := &database{dialect: postgres, shown: redact(u), secrets: secrets(u)}
	config, err := pgx.ParseConfig(text)
	if err != nil {
		return nil, d.wrap(err)
	}
	if !u.Query().Has("default_query_exec_mode") {
		// Leaves nothing prepared on the server, so that a pooler between can
		// not mix up connections, and lets the server infer parameter types.
		config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	}
	d.pool = stdlib.OpenDB(*config)
	return d, nil
}

// openSQLite opens an existing file for reading. The mode is rw, not ro: after
// a crash of the writer the first reader must roll its journal back, which ro
// may not. query_only keeps our statements from writing.
func openSQLite(text, scheme, rest string, write bool) (*database, error) {
	path, query, _ := strings.Cut(rest, "?")
	if scheme == "file" {
		path, _, _ = strings.Cut(path, "#")
		if p, err := url.PathUnescape(path); err == nil {
			path = p
		}
	}
	if p, ok := strings.CutPrefix(path, "//"); ok {
		path = strings.TrimPrefix(p, "localhost")
	}
	if path == "" {
		return nil, fmt.Errorf("sql: %q names no file; %s", text, wantURL)
	}
	if p, ok := strings.CutPrefix(path, "/"); ok && filepath.VolumeName(p) != "" {
		path = p // sqlite:///C:/shop.db
	}
	d := &database{shown: text}
	asked, _ := url.ParseQuery(query)
	if path != ":memory:" && asked.Get("mode") != "memory" {
		d.file = path
		if !asked.Has("mode") {
			query += "&mode=rw"
		}
	}
	query += "&_pragma=busy_timeout(4000)"
	if !write {
		query += "&_query_only=1"
	}
	var err error
	d.pool, err = sql.Open("sqlite", fileURI(path)+"?"+strings.TrimPrefix(query, "&"))
	return d, err
}

// fileURI is the path as SQLite's URI (https://www.sqlite.org/uri.html).
func fileURI(path string) string {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if filepath.VolumeName(path) != "" { // C:/shop.db
		path = "/" + path
	}
	if strings.HasPrefix(path, "/") {
		path = "//" + path
	}
	return "file:" + path
}

// ready says clearly what a driver would call "unable to open database file".
func (d *database) ready() error {
	if d.file == "" {
		return nil
	}
	if info, err := os.Stat(d.file); err != nil {
		full, _ := filepath.Abs(d.file)
		hint := ""
		if filepath.IsAbs(d.file) && strings.HasPrefix(d.shown, "sqlite:///") {
			hint = "; a path relative to the working directory is written sqlite:./" + filepath.Base(d.file)
		}
		return fmt.Errorf("sql: %s: no database file %s%s", d.shown, full, hint)
	} else if info.IsDir() {
		return fmt.Errorf("sql: %s: %s is a directory", d.shown, d.file)
	}
	return nil
}
