package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// startup is what a client says first, without encryption.
func startup() []byte {
	b, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "app"}}).Encode(nil)
	return b
}

// frames are messages as bytes.
func frames[M interface{ Encode([]byte) ([]byte, error) }](messages ...M) (b []byte) {
	for _, m := range messages {
		b, _ = m.Encode(b)
	}
	return b
}

type (
	clientMessage = pgproto3.FrontendMessage
	serverMessage = pgproto3.BackendMessage
)

var loggedIn = frames[serverMessage](&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "a", Value: "b"}, &pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 2}}, &pgproto3.ReadyForQuery{TxStatus: 'I'})

// A scripted server says the log-in, then for each text it waits for the bytes of
// the first and says the second; then it reads to the end.
type pgExchange struct{ want, say []byte }

// scripted runs a link to such a server. What came that the script did not want is
// sent to rest at the end.
func scripted(t *testing.T, script ...pgExchange) (l *Link, client net.Conn, rest chan string) {
	t.Helper()
	rest = make(chan string, 1)
	at := serveTCP(t, "tcp", func(c net.Conn) {
		script := append([]pgExchange{{startup(), loggedIn}}, script...)
		for _, e := range script {
			got := make([]byte, len(e.want))
			if n, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, e.want) {
				rest <- string(got[:n])
				return
			}
			_, _ = c.Write(e.say)
		}
		b, _ := io.ReadAll(c)
		rest <- string(b)
	})
	l = open(t, Config{Name: "db", Protocol: Postgres, To: at})
	client = dial(t, l.Addr())
	write(t, client, startup())
	if got := read(t, client, len(loggedIn)); got != string(loggedIn) {
		t.Fatalf("the log-in came as %q", got)
	}
	return l, client, rest
}

func write(t *testing.T, c net.Conn, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, c net.Conn, n int) string {
	t.Helper()
	b := make([]byte, n)
	n, err := io.ReadFull(c, b)
	if err != nil {
		t.Fatalf("%q, then %v", b[:n], err)
	}
	return string(b)
}

// Of a step that is cut before it is delivered the server sees nothing, not even its Parse.
func TestPostgresCutDeliversNothing(t *testing.T) {
	for _, m := range [][]byte{
		frames[clientMessage](&pgproto3.Query{String: "commit"}),
		frames[clientMessage](append(execute("commit"), &pgproto3.Sync{})...),
	} {
		l, client, rest := scripted(t)
		l.Watch(func(s Step) Action { return Cut })
		write(t, client, m)
		if b, err := io.ReadAll(client); len(b) > 0 || err == nil {
			t.Errorf("the client saw %q, %v", b, err)
		}
		if got := <-rest; got != "" {
			t.Errorf("the server saw %q", got)
		}
	}
}

// Of a reply that is lost the client sees nothing.
func TestPostgresLostReply(t *testing.T) {
	ask := frames[clientMessage](append(execute("insert into charges values (1)"), &pgproto3.Sync{})...)
	say := frames[serverMessage](&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, &pgproto3.NoData{}, &pgproto3.CommandComplete{CommandTag: []byte("INSERT 0 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	l, client, rest := scripted(t, pgExchange{ask, say})
	tr := &trace{strike: "after INSERT charges", action: Cut}
	l.Watch(tr.hook)
	write(t, client, ask)
	if b, err := io.ReadAll(client); len(b) > 0 || err == nil {
		t.Errorf("the client saw %q, %v", b, err)
	}
	if got := <-rest; got != "" || tr.String() != traceOne {
		t.Errorf("the server saw %q; steps:\n%s", got, tr)
	}
}

// A system that is gone while its statement is done changes nothing: the step has its end.
func TestPostgresStepOfAClientThatIsGone(t *testing.T) {
	ask := frames[clientMessage](&pgproto3.Query{String: "insert into charges values (1)"})
	say := frames[serverMessage](&pgproto3.CommandComplete{CommandTag: []byte("INSERT 0 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	at := serveTCP(t, "tcp", func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, len(startup())))
		_, _ = c.Write(loggedIn)
		_, _ = io.ReadAll(c)
		_, _ = c.Write(say)
	})
	l := open(t, Config{Name: "db", Protocol: Postgres, To: at})
	tr := &trace{}
	l.Watch(tr.hook)
	client := dial(t, l.Addr())
	write(t, client, append(startup(), ask...))
	closeWrite(client)
	if b, err := io.ReadAll(client); err != nil || string(b) != string(loggedIn)+string(say) || tr.String() != traceOne {
		t.Errorf("the client saw %q, %v; steps:\n%s", b, err, tr)
	}
}

// A server that ends between the two messages of a step leaves nobody waiting.
func TestPostgresServerEndsWithinAStep(t *testing.T) {
	l := open(t, Config{Name: "db", Protocol: Postgres, To: serveTCP(t, "tcp", func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, len(startup())))
		_, _ = c.Write(loggedIn)
	})})
	tr := &trace{}
	l.Watch(tr.hook)
	client := dial(t, l.Addr())
	write(t, client, append(startup(), frames[clientMessage](execute("commit")...)...))
	if b, err := io.ReadAll(client); string(b) != string(loggedIn) {
		t.Errorf("the client saw %q, %v", b, err)
	}
	for range 3 { // they go nowhere, or are reset
		_, _ = client.Write(frames[clientMessage](&pgproto3.Sync{}, &pgproto3.Query{String: "commit"}))
	}
	l.Close() // waits for all
	if strings.Contains(tr.String(), "after") {
		t.Errorf("steps:\n%s", tr)
	}
}

// Encryption is declined before the server hears of it.
func TestPostgresDeclinesEncryption(t *testing.T) {
	at := serveTCP(t, "tcp", echo)
	l := open(t, Config{Protocol: Postgres, To: at})
	c := dial(t, l.Addr())
	write(t, c, frames[clientMessage](&pgproto3.GSSEncRequest{}))
	got := read(t, c, 1)
	write(t, c, frames[clientMessage](&pgproto3.SSLRequest{}))
	got += read(t, c, 1)
	cancel := frames[clientMessage](&pgproto3.CancelRequest{ProcessID: 1, SecretKey: []byte{0, 0, 0, 2}})
	write(t, c, cancel)
	got += read(t, c, len(cancel))
	if want := "NN" + string(cancel); got != want || l.Err() != nil {
		t.Errorf("got %q, want %q; %v", got, want, l.Err())
	}
}

// What is no PostgreSQL ends the connection, and the link says why.
func TestPostgresMalformed(t *testing.T) {
	long := func(kind byte, n uint32) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{kind}, n), make([]byte, 40)...)
	}
	for _, c := range []struct {
		name      string
		say, hear []byte // of the client, of the server
		want      string
	}{
		{"kind", []byte("?\x00\x00\x00\x04"), nil, `begins with '?'`},
		{"short", long('Q', 3), nil, "of 3 bytes, legal are 4 to"},
		{"long", long('B', 1<<31), nil, "bytes, legal are 4 to"},
		{"text too long", long('Q', 20<<20), nil, "a link reads up to 16777216"},
		{"no end", []byte("Q\x00\x00\x00\x06ab"), nil, "without its end"},
		{"Parse", []byte("P\x00\x00\x00\x05a"), nil, "Parse: a name or text without its end"},
		{"Bind", []byte("B\x00\x00\x00\x04"), nil, "Bind: a name"},
		{"Execute", []byte("E\x00\x00\x00\x04"), nil, "Execute: a name"},
		{"Close", []byte("C\x00\x00\x00\x04"), nil, "Close: no name"},
		{"server kind", []byte("Q\x00\x00\x00\x06;\x00"), []byte("?\x00\x00\x00\x04"), "server begins with '?'"},
		{"server length", []byte("Q\x00\x00\x00\x06;\x00"), long('D', 0), "of 0 bytes"},
		{"ready twice", []byte("Q\x00\x00\x00\x06;\x00"), []byte("Z\x00\x00\x00\x05IZ\x00\x00\x00\x05I"), "nobody asked for"},
		{"ready length", []byte("Q\x00\x00\x00\x06;\x00"), []byte("Z\x00\x00\x00\x04"), "length"},
		{"copy", []byte("Q\x00\x00\x00\x06;\x00"), []byte("G\x00\x00\x00\x07\x00\x00\x00"), "did not see"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := []pgExchange{}
			if c.hear != nil {
				script = append(script, pgExchange{c.say, c.hear})
			}
			l, client, rest := scripted(t, script...)
			write(t, client, c.say)
			if b, err := io.ReadAll(client); err == nil {
				t.Errorf("the client saw %q and no reset", b)
			}
			<-rest
			l.Close()
			if err := l.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the link says %v, want %q", err, c.want)
			}
		})
	}
}

func TestPostgresMalformedStart(t *testing.T) {
	for say, want := range map[string]string{
		"\x16\x03\x01\x02\x00\x01\x00\x01":                    "sslnegotiation=direct",
		"GET / HTTP/1.1\r\n\r\n":                              "no PostgreSQL",
		"\x00\x00\x00\x08\x00\x02\x00\x00":                    "version 2.0",
		"\x00\x00\x00\x09\x04\xd2\x16\x2f\x00":                "encryption of 9 bytes",
		strings.Repeat("\x00\x00\x00\x08\x04\xd2\x16\x2f", 3): "sslmode=disable",
	} {
		l := open(t, Config{Protocol: Postgres, To: serveTCP(t, "tcp", echo)})
		c := dial(t, l.Addr())
		write(t, c, []byte(say))
		_, _ = io.Copy(io.Discard, c)
		l.Close()
		if err := l.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", say, err, want)
		}
	}
}
