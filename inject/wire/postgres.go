package wire

import "bufio"

// Postgres is PostgreSQL's protocol, version 3. Its steps are the statements
// that do something: INSERT, UPDATE, DELETE, MERGE, COPY FROM, CALL and the like
// by their table, SELECT FOR UPDATE, definitions, BEGIN, COMMIT and ROLLBACK,
// however they are sent: simple, prepared, pipelined. Plain reads and settings
// are none.
//
// A step is After when the server has said that the statement is done; a write
// outside of a transaction, or the last one before a Sync, when the server is
// ready for the next, since only then it is durable. The system sees no byte of
// that reply before the hook has returned (but see pgHold).
//
// The link declines TLS: sslmode disable, allow and prefer work. For what insists
// on TLS there is the protocol TCP, which passes it on and sees no steps.
var Postgres = Protocol{Name: "postgres", serve: servePostgres}

func servePostgres(c *conn) error {
	down, up := bufio.NewReaderSize(c.down, pgBuffer), bufio.NewReaderSize(c.up, pgBuffer)
	cancel, err := pgStart(c, down)
	if err != nil {
		return err
	}
	if cancel {
		return c.pass(down, up)
	}
	s := newPgSession()
	front := newPgFront(c, s, down)
	back := newPgBack(c, s, up)
	return c.both(front.run, back.run)
}
