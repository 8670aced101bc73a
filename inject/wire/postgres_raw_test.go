package wire

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A rawClient sends messages that pgx would not, through a link to the real server.
type rawClient struct {
	*pgTest
	*trace
	front *pgproto3.Frontend
}

func newRawClient(t *testing.T) *rawClient {
	t.Helper()
	p := newPgTest(t)
	h, err := p.client(pgx.QueryExecModeExec).PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	p.open = nil
	t.Cleanup(func() { h.Conn.Close() })
	r := &rawClient{pgTest: p, trace: &trace{}, front: h.Frontend}
	p.link.Watch(r.hook)
	return r
}

// send sends messages at once.
func (r *rawClient) send(messages ...pgproto3.FrontendMessage) {
	r.Helper()
	for _, m := range messages {
		r.front.Send(m)
	}
	if err := r.front.Flush(); err != nil {
		r.Fatal(err)
	}
}

// execute are the messages that run a text, without their Sync.
func execute(text string) []pgproto3.FrontendMessage {
	return []pgproto3.FrontendMessage{&pgproto3.Parse{Query: text}, &pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}}
}

// until reads messages up to one of the kind, and returns all kinds.
func (r *rawClient) until(kind byte) string {
	r.Helper()
	var kinds strings.Builder
	for !strings.HasSuffix(kinds.String(), string(kind)) {
		m, err := r.front.Receive()
		if err != nil {
			r.Fatalf("after %s: %v, want %c", &kinds, err, kind)
		}
		b, err := m.Encode(nil)
		if err != nil {
			r.Fatal(err)
		}
		kinds.WriteByte(b[0])
	}
	return kinds.String()
}

func (r *rawClient) want(kinds, want string) {
	r.Helper()
	if kinds != want {
		r.Errorf("the messages %s came, want %s", kinds, want)
	}
}

// COPY in the extended protocol: the Sync before the data is ignored.
func TestPostgresExtendedCopy(t *testing.T) {
	for _, early := range []bool{true, false} {
		r := newRawClient(t)
		r.send(execute("copy charges from stdin")...)
		if early {
			r.send(&pgproto3.Sync{})
		} else {
			r.send(&pgproto3.Flush{})
		}
		r.want(r.until('G'), "12nG")
		r.send(&pgproto3.CopyData{Data: []byte("1\t1\n")}, &pgproto3.Sync{}, &pgproto3.CopyData{Data: []byte("2\t1\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
		r.want(r.until('Z'), "CZ")
		// Its key is there already, which the server says before or after the end of the data.
		r.send(append(execute("copy charges from stdin"), &pgproto3.Sync{})...)
		r.until('G')
		r.send(&pgproto3.CopyData{Data: []byte("1\t1\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
		r.want(r.until('Z'), "EZ")
		// The client gives up.
		r.send(append(execute("copy charges from stdin"), &pgproto3.Sync{})...)
		r.until('G')
		r.send(&pgproto3.CopyFail{Message: "no"}, &pgproto3.Sync{})
		r.want(r.until('Z'), "EZ")
		r.send(&pgproto3.Query{String: "insert into charges values (3, 1)"})
		r.want(r.until('Z'), "CZ")
		want := `before COPY charges
after COPY charges: COPY 2, durable
before COPY charges
after COPY charges: ERROR 23505, refused
before COPY charges
after COPY charges: ERROR 57014, refused
before INSERT charges
after INSERT charges: INSERT 0 1, durable`
		if r.String() != want || r.rows() != "1 2 3" {
			t.Errorf("rows %s, steps:\n%s\nwant:\n%s", r.rows(), r, want)
		}
	}
}

// A COPY that fails before its data has ended.
func TestPostgresCopyFailsEarly(t *testing.T) {
	r := newRawClient(t)
	r.send(&pgproto3.Query{String: "copy charges from stdin"})
	r.until('G')
	r.send(&pgproto3.CopyData{Data: []byte("no number\n")})
	r.want(r.until('Z'), "EZ")
	r.send(&pgproto3.CopyData{Data: []byte("1\t1\n")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "insert into charges values (3, 1)"})
	r.want(r.until('Z'), "CZ")
	if r.rows() != "3" || !strings.HasSuffix(r.String(), "before INSERT charges\nafter INSERT charges: INSERT 0 1, durable") {
		t.Errorf("rows %s, steps:\n%s", r.rows(), r)
	}
}

// Between Flush and Sync nothing is durable but what COMMIT ended; each step ends
// before the next one begins.
func TestPostgresFlush(t *testing.T) {
	r := newRawClient(t)
	r.send(append(execute("insert into charges values (1, 1)"), &pgproto3.Flush{})...)
	r.want(r.until('C'), "12nC")
	if r.rows() != "" {
		t.Errorf("rows %s before the Sync", r.rows())
	}
	r.send(&pgproto3.Sync{})
	r.until('Z')
	all := execute("begin")
	for _, text := range []string{"insert into charges values (2, 1)", "commit", "select 1", "insert into charges values (3, 1)", "insert into charges values (1, 1)", "insert into charges values (4, 1)"} {
		all = append(all, execute(text)...)
	}
	r.send(append(all, &pgproto3.Sync{}, &pgproto3.Query{String: "select 1"})...)
	r.want(r.until('Z'), "12nC12nC12nC12TDC12nC12nEZ")
	r.want(r.until('Z'), "TDCZ")
	want := `before INSERT charges
after INSERT charges: INSERT 0 1
before COMMIT
after COMMIT: COMMIT, durable
before BEGIN
after BEGIN: BEGIN
before INSERT charges
after INSERT charges: INSERT 0 1
before COMMIT
after COMMIT: COMMIT, durable
before INSERT charges
after INSERT charges: INSERT 0 1
before INSERT charges
after INSERT charges: ERROR 23505, refused`
	if r.String() != want || r.rows() != "1 2" {
		t.Errorf("rows %s, steps:\n%s\nwant:\n%s", r.rows(), r, want)
	}
}

// A Close before the Sync (sqlx sends one) does not hide that the Sync follows.
func TestPostgresCloseBeforeSync(t *testing.T) {
	r := newRawClient(t)
	r.send(append(execute("insert into charges values (1, 1)"), &pgproto3.Close{ObjectType: 'P'}, &pgproto3.Close{ObjectType: 'S', Name: "x"}, &pgproto3.Sync{})...)
	r.want(r.until('Z'), "12nC33Z")
	if r.String() != traceOne || r.rows() != "1" {
		t.Errorf("rows %s, steps:\n%s\nwant:\n%s", r.rows(), r, traceOne)
	}
}

// A portal that is fetched in parts is one step.
func TestPostgresPortalInParts(t *testing.T) {
	r := newRawClient(t)
	r.send(&pgproto3.Query{String: "begin"})
	r.until('Z')
	r.send(&pgproto3.Parse{Query: "insert into charges select i, i from generate_series(1, 3) i returning id"}, &pgproto3.Bind{DestinationPortal: "p"},
		&pgproto3.Execute{Portal: "p", MaxRows: 2}, &pgproto3.Flush{})
	r.want(r.until('s'), "12DDs")
	r.send(&pgproto3.Execute{Portal: "p", MaxRows: 2}, &pgproto3.Close{ObjectType: 'P', Name: "p"}, &pgproto3.Sync{})
	r.want(r.until('Z'), "DC3Z")
	want := "before BEGIN\nafter BEGIN: BEGIN\nbefore INSERT charges\nafter INSERT charges: suspended"
	if r.String() != want {
		t.Errorf("steps:\n%s\nwant:\n%s", r, want)
	}
}

// A statement that was prepared in SQL is a step, whatever it is.
func TestPostgresPreparedInSQL(t *testing.T) {
	r := newRawClient(t)
	r.send(&pgproto3.Query{String: "prepare p as insert into charges values (1, 1)"}, &pgproto3.Bind{PreparedStatement: "p"}, &pgproto3.Execute{}, &pgproto3.Sync{})
	r.want(r.until('Z'), "CZ")
	r.want(r.until('Z'), "2CZ")
	if want := "before EXECUTE p\nafter EXECUTE p: INSERT 0 1, durable"; r.String() != want {
		t.Errorf("steps:\n%s\nwant:\n%s", r, want)
	}
}

// Within a pipeline, where nothing but the tags tells, START TRANSACTION begins a
// transaction and ROLLBACK TO ends none: no Sync keeps anything then.
func TestPostgresTransactionsInPipeline(t *testing.T) {
	r := newRawClient(t)
	var all []pgproto3.FrontendMessage
	for _, text := range []string{"start transaction", "insert into charges values (1, 1)", "savepoint a", "insert into charges values (2, 1)", "rollback to a", "select 1"} {
		all = append(all, execute(text)...)
	}
	all = append(append(all, &pgproto3.Sync{}), execute("commit")...)
	r.send(append(all, &pgproto3.Sync{})...)
	r.until('Z')
	r.until('Z')
	want := `before BEGIN
after BEGIN: START TRANSACTION
before INSERT charges
after INSERT charges: INSERT 0 1
before INSERT charges
after INSERT charges: INSERT 0 1
before COMMIT
after COMMIT: COMMIT, durable`
	if r.String() != want || r.rows() != "1" {
		t.Errorf("rows %s, steps:\n%s\nwant:\n%s", r.rows(), r, want)
	}
}

// What comes after the Sync of a batch that failed is done, and is a step.
func TestPostgresAfterAFailedBatch(t *testing.T) {
	r := newRawClient(t)
	batch := append(execute("insert into charges values (1/0, 1)"), execute("insert into charges values (2, 1)")...)
	batch = append(append(batch, &pgproto3.Sync{}), execute("insert into charges values (3, 1)")...)
	r.send(append(batch, &pgproto3.Sync{})...)
	r.until('Z')
	r.until('Z')
	want := `before INSERT charges
after INSERT charges: ERROR 22012, refused
before INSERT charges
after INSERT charges: INSERT 0 1, durable`
	if r.String() != want || r.rows() != "3" {
		t.Errorf("rows %s, steps:\n%s\nwant:\n%s", r.rows(), r, want)
	}
}
