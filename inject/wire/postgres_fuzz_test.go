package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// A fakeSide says what it has and then ends; it takes all that it is told.
type fakeSide struct {
	net.Conn
	say  io.Reader
	told bytes.Buffer
}

func (f *fakeSide) Read(b []byte) (int, error)  { return f.say.Read(b) }
func (f *fakeSide) Write(b []byte) (int, error) { return f.told.Write(b) }
func (f *fakeSide) Close() error                { return nil }
func (f *fakeSide) RemoteAddr() net.Addr        { return &net.TCPAddr{} }

// pgThrough runs a connection on which the two sides say what they want, whatever
// the other does, and returns what they were told.
func pgThrough(client, server []byte, action Action) (toServer, toClient []byte, err error) {
	hook := Hook(func(s Step) Action {
		if s.Phase == After {
			return Pass
		}
		return action
	})
	l := &Link{}
	l.Watch(hook)
	down, up := &fakeSide{say: bytes.NewReader(client)}, &fakeSide{say: bytes.NewReader(server)}
	err = servePostgres(&conn{link: l, id: 1, down: down, up: up})
	return up.told.Bytes(), down.told.Bytes(), err
}

var fuzzClient = [][]byte{
	frames[clientMessage](&pgproto3.Query{String: "insert into a values (1)"}, &pgproto3.Query{String: "commit"}, &pgproto3.Terminate{}),
	frames[clientMessage](append(execute("insert into a values ($1)"), &pgproto3.Sync{}, &pgproto3.Flush{})...),
	frames[clientMessage](append(execute("copy a from stdin"), &pgproto3.Sync{}, &pgproto3.CopyData{Data: []byte("1\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})...),
	frames[clientMessage](&pgproto3.Close{ObjectType: 'S', Name: "x"}, &pgproto3.PasswordMessage{Password: "x"}, &pgproto3.FunctionCall{}),
}

var fuzzServer = [][]byte{
	append(bytes.Clone(loggedIn), frames[serverMessage](&pgproto3.CommandComplete{CommandTag: []byte("INSERT 0 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})...),
	append(bytes.Clone(loggedIn), frames[serverMessage](&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, &pgproto3.NoData{}, &pgproto3.CopyInResponse{}, &pgproto3.CommandComplete{CommandTag: []byte("COPY 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})...),
	append(bytes.Clone(loggedIn), frames[serverMessage](&pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "40001"}, &pgproto3.ReadyForQuery{TxStatus: 'E'})...),
	append(bytes.Clone(loggedIn), frames[serverMessage](&pgproto3.DataRow{Values: [][]byte{{1}}}, &pgproto3.PortalSuspended{}, &pgproto3.EmptyQueryResponse{}, &pgproto3.NoticeResponse{}, &pgproto3.NotificationResponse{})...),
}

// Nothing that the two sides may say panics or hangs, and nobody is told what the
// other did not say, but for a refusal.
func FuzzPostgres(f *testing.F) {
	for _, client := range fuzzClient {
		for _, server := range fuzzServer {
			for action := range byte(4) {
				f.Add(append(startup(), client...), server, action)
			}
		}
	}
	f.Fuzz(func(t *testing.T, client, server []byte, action byte) {
		toServer, toClient, err := pgThrough(client, server, Action(action%4))
		if err == nil && Action(action%4) == Pass && !bytes.HasPrefix(server, toClient) && !bytes.HasPrefix(toClient, []byte("N")) {
			t.Errorf("the server said %q, the client was told %q", server, toClient)
		}
		if len(toServer) > 2*len(client)+1000 {
			t.Errorf("the client said %d bytes, the server was told %d", len(client), len(toServer))
		}
	})
}

// The messages are cut apart as pgx cuts them.
func FuzzPostgresMessages(f *testing.F) {
	for _, b := range append(append([][]byte{}, fuzzClient...), fuzzServer...) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		kinds := kindsOf(t, b)
		theirs := pgproto3.NewBackend(bytes.NewReader(b), io.Discard)
		theirs.SetMaxBodyLen(1 << 16)
		for i := 0; ; i++ {
			m, err := theirs.Receive()
			if err != nil {
				break // it also checks bodies, which a link leaves to the server
			}
			checkKind(t, kinds, i, m)
		}
		front := pgproto3.NewFrontend(bytes.NewReader(b), io.Discard)
		front.SetMaxBodyLen(1 << 16)
		for i := 0; ; i++ {
			m, err := front.Receive()
			if err != nil {
				break
			}
			checkKind(t, kinds, i, m)
		}
	})
}

// kindsOf are the kinds of the messages that we see.
func kindsOf(t *testing.T, b []byte) (kinds []byte) {
	m := pgMessages{bufio.NewReaderSize(bytes.NewReader(b), pgBuffer)}
	for {
		kind, size, err := m.next()
		if err != nil {
			return kinds
		}
		var one bytes.Buffer
		if err := m.pass(&one, size); err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("a message that was cut off: %v", err)
			}
			return kinds
		}
		kinds = append(kinds, kind)
	}
}

func checkKind(t *testing.T, kinds []byte, i int, m interface{ Encode([]byte) ([]byte, error) }) {
	t.Helper()
	b, err := m.Encode(nil)
	if err != nil || len(b) == 0 {
		return
	}
	if i >= len(kinds) || kinds[i] != b[0] {
		t.Errorf("message %d is %q for pgx, we see the kinds %q", i, b[0], kinds)
	}
}
