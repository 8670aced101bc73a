package relay

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A trick is a stream of bytes with which one tries to make two servers see
// different requests.
type trick struct {
	name, bytes string
	status      int // what the relay answers; 299: goes to Odd; 200: it is carried
}

const evil = "GET /evil HTTP/1.1\r\nHost: x\r\n\r\n"

var tricks = []trick{
	{"plain", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 200},
	{"CL.TE", post("Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\nG"+evil), 400},
	{"TE.CL", post("Transfer-Encoding: chunked\r\nContent-Length: 4", "1d\r\n"+evil+"\r\n0\r\n\r\n"), 400},
	{"CL.CL", post("Content-Length: 0\r\nContent-Length: 31", evil), 400},
	{"CL.CL the same", post("Content-Length: 5\r\nContent-Length: 5", "hello"), 400},
	{"CL list", post("Content-Length: 5, 5", "hello"), 400},
	{"CL sign", post("Content-Length: +5", "hello"), 400},
	{"CL minus", post("Content-Length: -1", evil), 400},
	{"CL hex", post("Content-Length: 0x5", "hello"), 400},
	{"CL zeros", post("Content-Length: 05", "hello"), 400},
	{"CL inner space", post("Content-Length: 3 1", evil), 400},
	{"CL empty", post("Content-Length:", evil), 400},
	{"CL overflow", post("Content-Length: 18446744073709551621", "hello"), 400},
	{"CL underscore", post("Content_Length: 31", evil), 400},
	{"CL space before the colon", post("Content-Length : 31", evil), 400},
	{"CL folded", post("Content-Length:\r\n 31", evil), 400},
	{"TE space before the colon", post("Transfer-Encoding : chunked", "0\r\n\r\n"), 400},
	{"TE identity", post("Transfer-Encoding: identity", evil), 501},
	{"TE chunked, identity", post("Transfer-Encoding: chunked, identity", "0\r\n\r\n"), 501},
	{"TE identity, chunked", post("Transfer-Encoding: identity, chunked", "0\r\n\r\n"), 501},
	{"TE gzip, chunked", post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"), 501},
	{"TE.TE", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400},
	{"TE.TE cow", post("Transfer-Encoding: chunked\r\nTransfer-encoding: cow", "0\r\n\r\n"), 501},
	{"TE xchunked", post("Transfer-Encoding: xchunked", "0\r\n\r\n"), 501},
	{"TE quoted", post(`Transfer-Encoding: "chunked"`, "0\r\n\r\n"), 501},
	{"TE case", post("Transfer-Encoding: Chunked", "0\r\n\r\n"), 299},
	{"TE vertical tab", post("Transfer-Encoding: \vchunked", "0\r\n\r\n"), 400},
	{"TE folded", post("Transfer-Encoding:\r\n chunked", "0\r\n\r\n"), 501},
	{"TE folded before", post("X: y\r\n Transfer-Encoding: chunked", "0\r\n\r\n"), 400},
	{"TE bare LF before", post("X: y\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400},
	{"TE bare CR before", post("X: y\rTransfer-Encoding: chunked", "0\r\n\r\n"), 400},
	{"TE underscore", post("Transfer_Encoding: chunked", "0\r\n\r\n"), 501},
	{"TE and HTTP/1.0", "POST /a HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
	{"TE NUL", post("Transfer-Encoding: chunked\x00", "0\r\n\r\n"), 400},
	{"TE in a trailer", chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n"), 200},
	{"chunk size overflow", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size huge", chunked("ffffffffffffffff\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size sign", chunked("+5\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size 0x", chunked("0x5\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size empty", chunked("\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size space", chunked("5 \r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk size space before", chunked(" 5\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk bare LF", chunked("5\nhello\n0\n\n"), 400},
	{"chunk LF in the extension", chunked("5;\nx\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk CR in the extension", chunked("5;\rx\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk data too long", chunked("5\r\nhelloo\r\n0\r\n\r\n"), 400},
	{"chunk data too short", chunked("5\r\nhell\r\n0\r\n\r\n"), 400},
	{"chunk extension", chunked("5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n"), 200},
	{"chunk extension huge", chunked("5;" + strings.Repeat("a", 300) + "\r\nhello\r\n0\r\n\r\n"), 400},
	{"chunk extensions many", chunked(strings.Repeat("1;"+strings.Repeat("a", 200)+"\r\nx\r\n", 50) + "0\r\n\r\n"), 400},
	{"trailers", chunked("0\r\nA: b\r\nC: d\r\n\r\n"), 200},
	{"trailer is a request", chunked("0\r\n" + evil), 400},
	{"trailer folded", chunked("0\r\nA: b\r\n c\r\n\r\n"), 400},
	{"trailers huge", chunked("0\r\nA: " + strings.Repeat("a", 3000) + "\r\n\r\n"), 400},
	{"two hosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
	{"no host", "GET /a HTTP/1.1\r\n\r\n", 400},
	{"host list", "GET /a HTTP/1.1\r\nHost: x, y z\r\n\r\n", 400},
	{"host with a path", "GET /a HTTP/1.1\r\nHost: x/evil?\r\n\r\n", 400},
	{"absolute form", "GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n", 299},
	{"authority form", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 299},
	{"asterisk form", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 299},
	{"no slash", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", 299},
	{"space in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"tab in the target", "GET /a\tb HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"NUL in the target", "GET /a\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"two spaces", "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"tab after the method", "GET\t/a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"space after the version", "GET /a HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
	{"method with a colon", "GE:T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"empty line first", "\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"LF alone", "GET /a HTTP/1.1\nHost: x\n\n", 400},
	{"LF alone at the end", "GET /a HTTP/1.1\r\nHost: x\r\n\n", 400},
	{"CR alone", "GET /a HTTP/1.1\rHost: x\r\r\n\r\n", 400},
	{"CR before CRLF", "GET /a HTTP/1.1\r\nHost: x\r\r\n\r\n", 400},
	{"HTTP/0.9", "GET /a\r\n\r\n", 400},
	{"HTTP/1.2", "GET /a HTTP/1.2\r\nHost: x\r\n\r\n", 505},
	{"HTTP/2.0", "GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505},
	{"http/1.1", "GET /a http/1.1\r\nHost: x\r\n\r\n", 400},
	{"HTTP/01.1", "GET /a HTTP/01.1\r\nHost: x\r\n\r\n", 400},
	{"HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", 299},
	{"h2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 299},
	{"upgrade", get("Connection: Upgrade\r\nUpgrade: websocket"), 299},
	{"expect", post("Expect: 100-continue\r\nContent-Length: 5", "hello"), 299},
	{"TE trailers", get("TE: trailers"), 299},
	{"trailer announced", post("Trailer: A\r\nTransfer-Encoding: chunked", "0\r\nA: b\r\n\r\n"), 299},
	{"connection names a field", get("Connection: close, X-Secret"), 299},
	{"connection hides the length", post("Connection: Content-Length\r\nContent-Length: 31", evil), 299},
	{"empty name", get(": x"), 400},
	{"no colon", get("X"), 400},
	{"space in a name", get("X Y: z"), 400},
	{"control in a value", get("X: a\x01b"), 400},
	{"DEL in a value", get("X: a\x7fb"), 400},
	{"huge head", get("X: " + strings.Repeat("a", 70<<10)), 431},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400},
	{"GET with a body", "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 200},
}

func get(fields string) string { return "GET /a HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n\r\n" }

func post(fields, body string) string {
	return "POST /a HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n\r\n" + body
}

func chunked(body string) string { return post("Transfer-Encoding: chunked", body) }

// TestTricks sends each trick through the relay to a net/http server, which must
// never see another request than the one the relay saw.
func TestTricks(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	up := service(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		seen = append(seen, r.Method+" "+r.RequestURI)
		mu.Unlock()
	})
	g := newRig(t, up, nil)
	for _, x := range tricks {
		for _, cut := range []int{len(x.bytes), 1 + len(x.bytes)/2} {
			t.Run(x.name, func(t *testing.T) {
				mu.Lock()
				seen = nil
				mu.Unlock()
				c := g.dial()
				c.send(x.bytes[:min(cut, len(x.bytes))])
				// The rest may meet a connection that is closed already.
				_, _ = io.WriteString(c.c, x.bytes[min(cut, len(x.bytes)):])
				_ = c.c.CloseWrite()
				status, _, a := c.answer("GET")
				if status != x.status {
					t.Errorf("answered %d %s", status, a.Header.Get(Mark))
				}
				rest, _ := c.rest()
				mu.Lock()
				defer mu.Unlock()
				carried := strings.Count(rest, "HTTP/1.1 2")
				if status == 200 {
					carried++
				}
				if len(seen) > carried || strings.Contains(strings.Join(seen, ""), "evil") {
					t.Errorf("the service saw %q; then the caller got %q", seen, rest)
				}
			})
		}
	}
}
