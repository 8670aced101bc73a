package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestProxyCurl holds that what curl can send comes back as it must.
func TestProxyCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		missing(t, "needs curl on the path")
	}
	p, _ := through(t)
	up := strings.Repeat("0123456789", 300_000)
	if err := os.WriteFile("up", []byte(up), 0o600); err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("%d %x", len(up), sha256.Sum256([]byte(up)))
	for _, c := range []struct{ name, args, want string }{
		{"post", "-d a=b PROXY/sum", "POST 3 " + fmt.Sprintf("%x", sha256.Sum256([]byte("a=b")))},
		{"upload", "-T up -H Expect: PROXY/sum", "PUT " + hash},
		{"upload with Expect", "-T up -H Expect:100-continue --expect100-timeout 30 PROXY/sum", "PUT " + hash + " 100-continue"},
		{"upload in chunks", "-T up -H Transfer-Encoding:chunked -H Expect: PROXY/sum", "PUT " + hash},
		{"h2c", "--http2-prior-knowledge -T up PROXY/sum", "PUT " + hash},
		{"upgrade to h2c", "--http2 PROXY/sum", "GET 0"},
		{"HTTP/1.0", "-0 -d a=b PROXY/sum", "POST 3"},
		{"trailers", "-D - -H TE:trailers PROXY/trailers", "X-Sum: of the body"},
		{"early hints", "-D - PROXY/hints", "HTTP/1.1 103"},
		{"head", "-I PROXY/sum", "HTTP/1.1 200"},
		{"two on one connection", "-d a=b PROXY/sum --next -s -d a=c PROXY/sum", fmt.Sprintf("%x", sha256.Sum256([]byte("a=c")))},
	} {
		t.Run(c.name, func(t *testing.T) { curl(t, c.args, p.URL, c.want) })
	}
}

// TestProxyCurlTLS holds the same with certificates on both sides.
func TestProxyCurlTLS(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		missing(t, "needs curl on the path")
	}
	t.Chdir(t.TempDir())
	origin, _ := pieces(t, func(s *httptest.Server) { s.EnableHTTP2 = true; s.Config.Protocols = nil; s.StartTLS() })
	certificate(t, origin)
	file := fmt.Sprintf("proxy:\n  listen: {address: \"127.0.0.1:0\", cert: cert.pem, key: key.pem}\n  to: [{url: %q, insecure: true}]\n  share: 100%%\n  budget: 100000\n", origin.URL)
	if err := os.WriteFile("idemcheck.yaml", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	p := standFile(t, "--fail", "never")
	for _, version := range []string{"--http1.1", "--http2"} {
		curl(t, "-k "+version+" -w %{http_version} -d a=b PROXY/sum", p.URL, "POST 3 "+fmt.Sprintf("%x", sha256.Sum256([]byte("a=b"))))
	}
	curl(t, "-k -w %{http_version} PROXY/sum -o body", p.URL, "2")
}

// curl runs it and demands that its output holds want.
func curl(t *testing.T, args, proxy, want string) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(args, "PROXY", proxy))
	out, err := exec.Command("curl", append([]string{"-q", "-s", "-S", "-m", "60", "--noproxy", "*"}, words...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("curl %s: %v\n%s\nwant %s", args, err, out, want)
	}
}

// certificate writes that of a server, and its key, into cert.pem and key.pem.
func certificate(t *testing.T, origin *httptest.Server) {
	t.Helper()
	pair := origin.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
