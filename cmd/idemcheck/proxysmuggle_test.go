package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// trick is bytes on a connection that two readers may read as different requests.
type trick struct {
	name, sent string
	refused    bool // no part of it may reach the service
}

var tricks = []trick{
	{"length and chunked", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG", true},
	{"chunked and length", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\n0\r\n\r\n", true},
	{"two lengths", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 35\r\n\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\nabc", true},
	{"a list of lengths", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 35\r\n\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\nabc", true},
	{"length with a sign", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", true},
	{"length below zero", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", true},
	{"length too large", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551617\r\n\r\na", true},
	{"length in hex", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc", true},
	{"blank before the colon", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", true},
	{"another coding after chunked", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", true},
	{"another coding before chunked", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", true},
	{"chunked twice", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
	{"chunked misspelt", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", true},
	{"chunked with a vertical tab", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", true},
	{"folded header", "POST /a HTTP/1.1\r\nHost: x\r\nX-A: b\r\n Content-Length: 3\r\n\r\nabc", false}, // net/http unfolds it
	{"folded coding", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", true},
	{"bare line feeds", "GET /a HTTP/1.1\nHost: x\nX-A: b\n\n", false},
	{"bare carriage return in a value", "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\rContent-Length: 3\r\n\r\n", true},
	{"zero byte in a value", "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\x00c\r\n\r\n", true},
	{"blank in a name", "GET /a HTTP/1.1\r\nHost: x\r\nX A: b\r\n\r\n", true},
	{"a line without a colon", "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length\r\n\r\n", true},
	{"two hosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", true},
	{"no host", "GET /a HTTP/1.1\r\n\r\n", true},
	{"chunk size overflows", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc\r\n0\r\n\r\n", false},
	{"chunk size with a sign", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n+3\r\nabc\r\n0\r\n\r\n", false},
	{"chunk size in front of a line feed", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;\nabc\r\n0\r\n\r\n", false},
	{"chunk longer than it says", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcGET /hidden HTTP/1.1\r\n\r\n0\r\n\r\n", false},
	{"trailer that frames", "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\nContent-Length: 40\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n", false},
	{"a body after GET", "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 35\r\n\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\nabc", false},
	{"two requests at once", "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n", false},
	{"absolute form", "GET http://other/a HTTP/1.1\r\nHost: x\r\n\r\n", false},
	{"connection names a header", "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close, X-User\r\nX-User: 1\r\n\r\n", false},
	{"version 2.0 in text", "GET /a HTTP/2.0\r\nHost: x\r\n\r\n", true},
	{"version 0.9", "GET /a\r\n\r\n", true},
	{"a target with a blank", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", true},
	{"no method", " /a HTTP/1.1\r\nHost: x\r\n\r\n", true},
	{"a head beyond a mebibyte", "GET /a HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("b", 2<<20) + "\r\n\r\n", true},
	{"upgrade to h2c with a body", "POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 3\r\n\r\nabc", false},
}

// seen notes the requests that a service reads.
type seen struct {
	mu  sync.Mutex
	all []string
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, fmt.Sprintf("%s %s %q %v", r.Method, r.URL.RequestURI(), b, err == nil))
	io.WriteString(w, "ok")
}

// take returns what was seen since the last time.
func (s *seen) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return all
}

// TestProxySmuggling holds that no bytes of a connection are two requests to
// the service where they were one to the proxy: it sees what it would have seen
// without the proxy, or less.
func TestProxySmuggling(t *testing.T) {
	t.Chdir(t.TempDir())
	var service seen
	origin := httptest.NewServer(&service)
	defer origin.Close()
	for _, trick := range tricks {
		t.Run(trick.name, func(t *testing.T) {
			speak(t, origin.URL, trick.sent)
			direct := service.take()
			p := stand(t, "--to", origin.URL, "--share", "100%", "--budget", "100000") // copies too
			answer := speak(t, p.URL, trick.sent)
			if last := speak(t, p.URL, "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(last, "HTTP/1.1 200") {
				t.Errorf("afterwards an honest request gets %.80q", last)
			}
			p.end()
			through := slices.DeleteFunc(service.take(), func(s string) bool { return strings.HasPrefix(s, "GET /last") })
			trick.judge(t, direct, through, answer)
		})
	}
}

func (k trick) judge(t *testing.T, direct, through []string, answer string) {
	t.Logf("answer %.60q, the service saw %q", answer, through)
	if k.refused && len(through) > 0 {
		t.Errorf("it must be refused; the service saw %q", through)
	}
	for _, request := range through {
		if !slices.Contains(direct, request) {
			t.Errorf("the service saw %s, and without the proxy %q", request, direct)
		}
	}
	if len(through) == 0 && answer != "" && !strings.HasPrefix(answer, "HTTP/1.1 4") && !strings.HasPrefix(answer, "HTTP/1.1 5") {
		t.Errorf("it was not relayed, and the answer is %.80q", answer)
	}
}

// speak sends bytes, says that no more will come, and reads to the end.
func speak(t *testing.T, url, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, sent) // it may be refused before its end
	if !strings.Contains(sent, "Connection: close\r\n") {
		c.(*net.TCPConn).CloseWrite()
	}
	answer, _ := io.ReadAll(c) // a reset is an end too
	return string(answer)
}
