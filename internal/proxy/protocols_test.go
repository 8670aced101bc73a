package proxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// protocols makes a client that speaks one protocol.
func speaking(t *testing.T, set func(*http.Protocols), change ...func(*http.Transport)) *http.Client {
	p := new(http.Protocols)
	set(p)
	tr := &http.Transport{Protocols: p}
	for _, f := range change {
		f(tr)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// certificate is that of httptest, as files.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	c := s.TLS.Certificates[0]
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return cert, key, pool
}

// Whatever is spoken on either side, a request passes and its copy comes.
func TestProtocols(t *testing.T) {
	cert, key, pool := certificate(t)
	trust := func(tr *http.Transport) { tr.TLSClientConfig = &tls.Config{RootCAs: pool, ServerName: "example.com"} }
	services := map[string]func(*httptest.Server) settings.Upstream{
		"http": func(s *httptest.Server) settings.Upstream { s.Start(); return settings.Upstream{URL: s.URL} },
		"https": func(s *httptest.Server) settings.Upstream {
			s.EnableHTTP2 = true
			s.StartTLS()
			return settings.Upstream{URL: s.URL, CA: cert}
		},
		"h2c": func(s *httptest.Server) settings.Upstream {
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			s.Start()
			return settings.Upstream{URL: strings.Replace(s.URL, "http:", "h2c:", 1)}
		},
		"unix": func(s *httptest.Server) settings.Upstream {
			path := filepath.Join(t.TempDir(), "s.sock")
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			s.Listener.Close()
			s.Listener = l
			s.Start()
			return settings.Upstream{URL: "unix:" + path}
		},
	}
	clients := map[string]func(*testing.T) (settings.Listen, *http.Client){
		"http/1.1": func(t *testing.T) (settings.Listen, *http.Client) {
			return settings.Listen{Address: "127.0.0.1:0"}, client(t)
		},
		"h2c": func(t *testing.T) (settings.Listen, *http.Client) {
			return settings.Listen{Address: "127.0.0.1:0"}, speaking(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })
		},
		"h2": func(t *testing.T) (settings.Listen, *http.Client) {
			return settings.Listen{Address: "127.0.0.1:0", Cert: cert, Key: key}, speaking(t, func(p *http.Protocols) { p.SetHTTP2(true) }, trust)
		},
		"tls http/1.1": func(t *testing.T) (settings.Listen, *http.Client) {
			return settings.Listen{Address: "127.0.0.1:0", Cert: cert, Key: key}, speaking(t, func(p *http.Protocols) { p.SetHTTP1(true) }, trust)
		},
		"unix": func(t *testing.T) (settings.Listen, *http.Client) {
			path := filepath.Join(t.TempDir(), "p.sock")
			return settings.Listen{Address: "unix:" + path}, speaking(t, func(p *http.Protocols) { p.SetHTTP1(true) }, func(tr *http.Transport) {
				tr.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "unix", path)
				}
			})
		},
	}
	for from, dial := range clients {
		for to, serve := range services {
			t.Run(from+" to "+to, func(t *testing.T) {
				s := &shop{made: map[string]string{}, objects: map[string]string{}, effects: map[string]int{}}
				server := httptest.NewUnstartedServer(s.handler("1"))
				up := serve(server)
				defer server.Close()
				l, c := dial(t)
				p := begin(t, "http://127.0.0.1:1", func(o *proxy.Options) { o.Listen, o.To = []settings.Listen{l}, []settings.Upstream{up} })
				url := p.URLs()[0]
				if strings.HasPrefix(url, "unix:") {
					url = "http://localhost"
				}
				status, answer, err := post(t, c, url+"/charges?x=1", "k1", `{"a":1}`)
				if err != nil || status != 200 || !strings.Contains(answer, "ch_000001") {
					t.Fatal(status, answer, err)
				}
				c.CloseIdleConnections()
				finish(t, p)
				got := s.seen()
				if len(got) != 2 || got[1].body != `{"a":1}` || got[1].uri != "/charges?x=1" || got[1].header.Get("Idempotency-Key") != "k1" {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

// Faults do the same over HTTP/2 as over HTTP/1.1.
func TestFaultsOverH2(t *testing.T) {
	for _, f := range []string{"repeat", "repeat: before-answer", "overlap", "late: 1ms", "lose-answer", "replace-answer", "reencode", "drop-key", "delay: 1ms"} {
		t.Run(f, func(t *testing.T) {
			s := newShop(t, false)
			p := begin(t, s.URL, fault(f), rules(settings.Rule{Share: settings.Share{First: 1}}))
			c := speaking(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })
			status, answer, err := post(t, c, p.URLs()[0]+"/charges", "k1", `{"a":1.5}`)
			want := 2
			switch f {
			case "lose-answer":
				if err == nil {
					t.Errorf("the caller got %d %q", status, answer)
				}
			case "replace-answer":
				if status != 502 {
					t.Errorf("the caller got %d %q", status, answer)
				}
			default:
				if err != nil || status != 200 {
					t.Errorf("the caller got %d %q, %v", status, answer, err)
				}
			}
			switch f {
			case "lose-answer", "replace-answer":
				if _, answer, err := post(t, c, p.URLs()[0]+"/charges", "k1", `{"a":1.5}`); err != nil || !strings.Contains(answer, "ch_000001") {
					t.Error(answer, err)
				}
			case "delay: 1ms":
				want = 1
			}
			c.CloseIdleConnections()
			s.await(t, want)
			finish(t, p)
			if got := s.seen(); len(got) != want {
				t.Errorf("the service saw %+v", got)
			}
			if r := p.Report(); want == 2 && r.Repeats != 1 {
				t.Errorf("%d repeats, %v", r.Repeats, r.Notes)
			}
		})
	}
}

// A large body over HTTP/2 is not mixed up by holding its last byte.
func TestOverlapOfLargeBodies(t *testing.T) {
	for _, set := range []func(*http.Protocols){func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, func(p *http.Protocols) { p.SetHTTP1(true) }} {
		s := newShop(t, false)
		p := begin(t, s.URL, fault("overlap"))
		body := strings.Repeat("0123456789abcdef", 20<<10) + "x"
		if _, answer, err := post(t, speaking(t, set), p.URLs()[0]+"/blobs", "k1", body); err != nil || !strings.Contains(answer, "327681") {
			t.Error(answer, err)
		}
		finish(t, p)
		got := s.seen()
		if len(got) != 2 || got[0].body != body || got[1].body != body {
			t.Errorf("%d requests", len(got))
		}
	}
}

// What is odd passes as it is, at once.
func TestServerSentEvents(t *testing.T) {
	next := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			io.WriteString(w, "data: x\n\n")
			w.(http.Flusher).Flush()
			<-next
		}
	}))
	defer service.Close()
	for _, set := range []func(*http.Protocols){func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, func(p *http.Protocols) { p.SetHTTP1(true) }} {
		p := begin(t, service.URL)
		resp, err := speaking(t, set).Post(p.URLs()[0]+"/events", "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len("data: x\n\n"))
		for range 3 {
			if _, err := io.ReadFull(resp.Body, b); err != nil {
				t.Fatal(err)
			}
			next <- struct{}{}
		}
		resp.Body.Close()
		finish(t, p)
		if r := p.Report(); len(r.Routes) != 1 || r.Routes[0].Streamed != 1 || r.Repeats != 0 {
			t.Errorf("%+v", r.Routes)
		}
	}
}
