package observe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const exposed = `# HELP mails_total Mails that were sent.
# TYPE mails_total counter
mails_total{kind="receipt",to="a \"b\""} 2
mails_total{kind="receipt",to="c"} 3
mails_total{kind="refund"} 1e1
# TYPE handled_seconds histogram
handled_seconds_bucket{le="+Inf"} 7
handled_seconds_sum 1.5
handled_seconds_count 7
# TYPE queue gauge
queue 4
plain 9
`

func TestMetrics(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "t" || r.UserAgent() != "idemcheck/0" {
			t.Errorf("asked with %v", r.Header)
		}
		fmt.Fprint(w, exposed)
	}))
	defer server.Close()
	m := &Metrics{URL: server.URL, Agent: "idemcheck/0", Headers: http.Header{"Authorization": {"t"}}}
	for _, c := range []struct {
		series string
		want   float64
		found  bool
	}{
		{"mails_total", 15, true},
		{`mails_total{kind="receipt"}`, 5, true},
		{` mails_total { kind = "receipt", to="a \"b\"", } `, 2, true},
		{`mails_total{kind="other"}`, 0, false},
		{"mail_total", 0, false},
		{"handled_seconds_count", 7, true},
		{"handled_seconds_sum", 1.5, true},
		{"queue", 4, true},
		{"plain{}", 9, true},
	} {
		s, err := ParseSeries(c.series)
		if err != nil {
			t.Errorf("%s: %v", c.series, err)
			continue
		}
		if got, found, err := m.Value(t.Context(), s); got != c.want || found != c.found || err != nil {
			t.Errorf("%s: got %v, %v, %v, want %v", c.series, got, found, err, c.want)
		}
	}
}

func TestMetricsErrors(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		"answered 404":                         http.NotFound,
		"answered 302":                         func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) },
		"not in the text format of Prometheus": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\n") },
	} {
		server := httptest.NewServer(handler)
		_, _, err := (&Metrics{URL: server.URL}).Value(t.Context(), Series{Name: "a"})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("got %v, want %q", err, want)
		}
		server.Close()
	}
	for _, bad := range []string{"", "1a", "a b", "a{", "a{b}", "a{b=c}", `a{b="c"`, `a{b="c"} 1`, `a{b="c"d="e"}`, `a{b="c",b="d"}`, `a{b='c'}`, "a{b=`c`}", `a{-="c"}`} {
		if s, err := ParseSeries(bad); err == nil {
			t.Errorf("%q was taken as %v", bad, s)
		}
	}
}

// No text makes the parsers panic.
func FuzzMetrics(f *testing.F) {
	f.Add(exposed, `mails_total{kind="receipt"}`)
	f.Add("a 1", "a{b=\"")
	f.Fuzz(func(t *testing.T, text, series string) {
		s, err := ParseSeries(series)
		if err != nil {
			s.Name = "a"
		}
		_, _, _ = s.in([]byte(text))
	})
}
