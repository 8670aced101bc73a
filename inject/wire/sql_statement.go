package wire

import "slices"

// What follows CREATE, ALTER and DROP before the kind of thing, or between it and its name.
var sqlNoise = []string{"OR", "REPLACE", "TEMP", "TEMPORARY", "UNLOGGED", "GLOBAL", "LOCAL", "UNIQUE", "RECURSIVE", "MATERIALIZED", "CONCURRENTLY", "IF", "NOT", "EXISTS", "ONLY"}

// Functions that change something for others though only selected.
var sqlFunctions = []string{
	"PG_NOTIFY", "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_ADVISORY_XACT_LOCK", "PG_ADVISORY_XACT_LOCK_SHARED", "PG_ADVISORY_UNLOCK", "PG_ADVISORY_UNLOCK_ALL",
	"PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_XACT_LOCK", "PG_TRY_ADVISORY_XACT_LOCK_SHARED", "GET_LOCK", "RELEASE_LOCK",
}

// statement notes what the statement that begins here does. What it does not
// know does nothing: plain reads, settings, cursors, savepoints.
func (p *sqlParser) statement() {
	switch verb := p.now.word(); verb {
	case "INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE":
		p.change()
	case "SELECT", "WITH", "VALUES", "TABLE":
		p.query()
	case "COPY":
		p.copy()
	case "BEGIN", "START":
		p.add(sqlBegin, "BEGIN")
	case "COMMIT", "END":
		p.end(sqlCommit, "COMMIT")
	case "ROLLBACK", "ABORT":
		p.end(sqlRollback, "ROLLBACK")
	case "PREPARE":
		if p.move(); p.now.word() == "TRANSACTION" {
			p.add(sqlWrite, "PREPARE TRANSACTION")
		}
	case "CREATE", "ALTER", "DROP":
		p.define()
	case "CALL", "EXECUTE", "TRUNCATE", "NOTIFY", "REFRESH", "DO", "GRANT", "REVOKE", "COMMENT":
		p.command(sqlWrite)
	case "LOCK":
		p.command(sqlLock)
	default:
		if p.now.kind == '(' {
			p.query()
		}
	}
}

// change is INSERT INTO t, UPDATE t, DELETE FROM t, MERGE INTO t.
func (p *sqlParser) change() {
	verb := p.now.word()
	p.move()
	p.skip("INTO", "FROM", "ONLY", "IGNORE", "LOW_PRIORITY", "DELAYED", "QUICK")
	p.add(sqlWrite, verb, p.object())
}

// end is COMMIT or ROLLBACK in their spellings. ROLLBACK TO a savepoint ends nothing.
func (p *sqlParser) end(kind sqlKind, name string) {
	p.move()
	p.skip("WORK", "TRANSACTION")
	switch p.now.word() {
	case "TO":
	case "PREPARED":
		p.add(sqlWrite, name, "PREPARED")
	default:
		p.add(kind, name)
	}
}

// command is a verb, perhaps TABLE or the like, and the name of its object.
func (p *sqlParser) command(kind sqlKind) {
	verb := p.now.word()
	p.move()
	switch verb {
	case "DO", "GRANT", "REVOKE", "COMMENT":
		p.add(kind, verb)
		return
	}
	p.skip("TABLE", "ONLY", "MATERIALIZED", "VIEW", "CONCURRENTLY")
	p.add(kind, verb, p.object())
}

// define is CREATE, ALTER or DROP, a kind of thing and its name. The body of a
// function may hold statements of its own: they are part of it.
func (p *sqlParser) define() {
	verb := p.now.word()
	p.move()
	p.skip(sqlNoise...)
	thing := p.now.word()
	p.move()
	p.skip(append([]string{"ON"}, sqlNoise...)...)
	p.add(sqlWrite, verb, thing, p.object())
	for p.now.kind != 0 && (p.now.kind != ';' || p.depth > 0) {
		if p.move(); p.prev.word() == "BEGIN" && p.now.word() == "ATOMIC" {
			p.scan.at, p.now = len(p.scan.text), sqlToken{}
		}
	}
}

// copy is COPY t FROM, which writes, or COPY t TO, which does not.
func (p *sqlParser) copy() {
	p.move()
	name := p.object()
	for p.now.kind != 0 && p.now.kind != ';' && (p.depth > 0 || p.now.word() != "FROM" && p.now.word() != "TO") {
		p.move()
	}
	if name != "" && p.now.word() == "FROM" {
		p.add(sqlWrite, "COPY", name)
	}
}

// query is a SELECT, perhaps with changes in its WITH, with INTO, locks, or
// functions that do something.
func (p *sqlParser) query() {
	from, locks := "", false
	for p.now.kind != 0 && (p.now.kind != ';' || p.depth > 0) {
		switch w := p.now.word(); w {
		case "INSERT", "UPDATE", "DELETE", "MERGE":
			if p.prev.kind == '(' || p.prev.kind == ')' {
				p.change()
				continue
			}
		case "FROM":
			if p.depth == 0 && from == "" && p.prev.word() != "DISTINCT" {
				p.move()
				p.skip("ONLY", "LATERAL")
				from = p.object()
				continue
			}
		case "INTO":
			if p.depth == 0 {
				p.move()
				p.skip("TEMP", "TEMPORARY", "UNLOGGED", "TABLE")
				p.add(sqlWrite, "SELECT INTO", p.object())
				continue
			}
		}
		locks = locks || p.prev.word() == "FOR" && slices.Contains([]string{"UPDATE", "SHARE", "NO", "KEY"}, p.now.word())
		name := p.now
		p.move()
		if p.now.kind == '(' && slices.Contains(sqlFunctions, name.word()) {
			p.function(bare(name))
		}
	}
	if locks {
		p.add(sqlLock, "SELECT", from)
	}
}

// function notes a function that does something.
func (p *sqlParser) function(name string) {
	kind := sqlOther
	if name == "pg_notify" {
		kind = sqlWrite
	}
	p.add(kind, "SELECT", name)
}
