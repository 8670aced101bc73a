package traffic

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/idemcheck/idemcheck/internal/look"
)

var update = flag.Bool("update", false, "accept the texts as they are now")

// secrets are hashed under a key that is new in each run.
var secrets = regexp.MustCompile(`<hmac:[0-9a-f]+>`)

func printed(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t *testing.T, r Report) string {
	t.Helper()
	return printed(t, func(w io.Writer) error { return r.Text(w, false) })
}

func TestText(t *testing.T) {
	for name, r := range map[string]Report{"shop": shop(t), "empty": empty()} {
		got := secrets.ReplaceAllString(text(t, r), "<hmac:1a2b3c4d>")
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v, and the text is now\n%s\n(-update accepts it)", name, err, got)
		}
	}
}

// Of any report no line of prose is too long, and none can move the cursor.
func TestTextFitsATerminal(t *testing.T) {
	for name, r := range map[string]Report{"shop": shop(t), "crowd": crowd(), "empty": empty()} {
		for line := range strings.Lines(text(t, r)) {
			line = strings.TrimSuffix(line, "\n")
			if look.Width(line) > look.Columns && !strings.HasPrefix(line, "    ") {
				t.Errorf("%s: %d columns: %s", name, look.Width(line), line)
			}
			if look.Clean(line) != line {
				t.Errorf("%s: not fit for a terminal: %q", name, line)
			}
		}
	}
}

func TestJSONIsReadAgain(t *testing.T) {
	r := shop(t)
	doc := printed(t, r.JSON)
	if strings.Contains(doc, "null,") && strings.Contains(doc, `"findings": null`) {
		t.Error("a list is null")
	}
	if strings.Contains(doc, "4111111111111111") || strings.Contains(doc, "Bearer 0123") {
		t.Error("a secret is in the report")
	}
	again, err := ReadReport(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if text(t, again) != text(t, r) || printed(t, again.JSON) != doc {
		t.Error("what was read is not what was written")
	}
	if _, err := ReadReport(strings.NewReader(`{"version": 2}`)); err == nil {
		t.Error("another version was read")
	}
}

// What Prometheus reads: every sample, and few series.
func TestMetrics(t *testing.T) {
	for name, r := range map[string]Report{"shop": shop(t), "crowd": crowd(), "empty": empty()} {
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(printed(t, r.Metrics)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "shop" {
			verdicts := map[string]float64{}
			for _, m := range families["idemcheck_proxy_verdict"].GetMetric() {
				verdicts[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
			if verdicts["POST /charges"] != 3 || verdicts["POST /refunds"] != 0 || verdicts["GET /charges/{}"] != -1 {
				t.Error(verdicts)
			}
		}
	}
	many := Report{}
	for range 3000 {
		many.Routes = append(many.Routes, Route{Name: "POST /x", Answers: map[string]int64{"2xx": 1}, Repeats: map[string]int64{"repeat": 1}, Verdict: Held})
	}
	if n := strings.Count(printed(t, many.Metrics), "\n"); n > 4000 {
		t.Errorf("%d lines", n)
	}
}

func TestExit(t *testing.T) {
	route := func(v Verdict) Route { return Route{Verdict: v, Tried: 4} }
	for _, c := range []struct {
		routes []Route
		level  string
		want   int
	}{
		{nil, "likely", 3}, {[]Route{{Verdict: NotTried}}, "likely", 3},
		{[]Route{route(Held)}, "likely", 0}, {[]Route{route(Held), route(Unknown)}, "likely", 3},
		{[]Route{route(Held), route(Likely)}, "likely", 1}, {[]Route{route(Held), route(Likely)}, "certain", 3},
		{[]Route{route(Certain)}, "certain", 1}, {[]Route{route(Certain), route(Held)}, "never", 0}, {[]Route{route(Unknown)}, "never", 3},
	} {
		if got := (Report{Routes: c.routes}).Exit(c.level); got != c.want {
			t.Errorf("%v at %s: %d, want %d", c.routes, c.level, got, c.want)
		}
	}
}

// Equal traffic makes equal reports.
func TestReportIsStable(t *testing.T) {
	a, b := shop(t), shop(t)
	if secrets.ReplaceAllString(text(t, a), "") != secrets.ReplaceAllString(text(t, b), "") {
		t.Error("the same traffic makes another text")
	}
}

// An example says which Location is missing.
func TestMissingLocationIsNamed(t *testing.T) {
	b := newBench(Options{})
	got := b.tell(story{request: "POST /charges", first: `201 Location: /charges/ch_$M {"id":"ch_$M"}`, second: `201 {"id":"ch_$M"}`}, 4)
	said := text(t, b.Report())
	if got.Verdict != Unknown || !strings.Contains(got.Findings[0].Words, "but for the Location, which is missing") || !strings.Contains(said, "header location: /charges/ch_") || !strings.Contains(said, ", then none") {
		t.Errorf("%s %+v\n%s", got.Verdict, got.Findings, said)
	}
}
