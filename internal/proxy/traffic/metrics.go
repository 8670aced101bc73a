package traffic

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

const mostSeries = 500 // routes with series of their own; the others are summed up

// Metrics writes the report as text for Prometheus. Its labels are bounded: routes
// come from the table, all else is one of a few words.
func (r Report) Metrics(w io.Writer) error {
	m := &metrics{}
	routes := r.Routes
	if len(routes) > mostSeries {
		rest := Route{Name: "others", Answers: map[string]int64{}, Repeats: map[string]int64{}, Verdict: NotTried}
		for _, o := range routes[mostSeries:] {
			rest.add(o)
		}
		routes = append(routes[:mostSeries:mostSeries], rest)
	}
	m.routes(routes)
	m.state(r)
	_, err := w.Write(m.Bytes())
	return err
}

func (r *Route) add(o Route) {
	r.Requests += o.Requests
	for class, n := range o.Answers {
		r.Answers[class] += n
	}
	for fault, n := range o.Repeats {
		r.Repeats[fault] += n
	}
	if rank(o.Verdict) < rank(r.Verdict) {
		r.Verdict = o.Verdict
	}
}

type metrics struct{ bytes.Buffer }

func (m *metrics) head(name, kind, help string) {
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// line writes one sample; labels are pairs of name and value.
func (m *metrics) line(name string, value any, labels ...string) {
	m.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(m, `%s%s="%s"`, map[bool]string{true: "{", false: ","}[i == 0], labels[i], escape.Replace(strings.ToValidUTF8(labels[i+1], "?")))
	}
	if len(labels) > 0 {
		m.WriteByte('}')
	}
	fmt.Fprintf(m, " %v\n", value)
}

func (m *metrics) routes(routes []Route) {
	m.head("idemcheck_proxy_requests_total", "counter", "Requests of callers by route and class of their answer.")
	for _, r := range routes {
		for _, class := range sortedKeys(r.Answers) {
			m.line("idemcheck_proxy_requests_total", r.Answers[class], "route", r.Name, "answer", class)
		}
	}
	m.head("idemcheck_proxy_repeats_total", "counter", "Requests that were sent twice, by route and fault.")
	for _, r := range routes {
		for _, fault := range sortedKeys(r.Repeats) {
			m.line("idemcheck_proxy_repeats_total", r.Repeats[fault], "route", r.Name, "fault", fault)
		}
	}
	m.head("idemcheck_proxy_answers_total", "counter", "Answers to repeats of what was accepted, by route and what they say.")
	for _, r := range routes {
		for _, a := range []struct {
			is string
			n  int64
		}{{"alike", r.Same}, {"conflict", r.Conflict}, {"limited", r.Limited}, {"refused", r.Refused}, {"failed", r.Failed}, {"differ", r.Differ}} {
			if a.n > 0 {
				m.line("idemcheck_proxy_answers_total", a.n, "route", r.Name, "is", a.is)
			}
		}
	}
	m.head("idemcheck_proxy_verdict", "gauge", "What the traffic says of a route: 3 certain, 2 likely, 1 unknown, 0 held, -1 not tried.")
	for _, r := range routes {
		m.line("idemcheck_proxy_verdict", 3-rank(r.Verdict), "route", r.Name)
	}
}

func (m *metrics) state(r Report) {
	for _, g := range []struct {
		name, kind, help string
		value            any
	}{
		{"on", "gauge", "1 while requests are struck.", bit(r.State.On)},
		{"breaker_open", "gauge", "1 while nothing is struck since the error rate of the service rose.", bit(r.State.Breaker)},
		{"budget", "gauge", "Duplicates that are allowed in a minute.", r.State.Budget},
		{"budget_used", "gauge", "Duplicates in the last minute.", r.State.Used},
		{"copies_in_flight", "gauge", "Copies that were sent and not answered yet.", r.State.InFlight},
		{"budget_refused_total", "counter", "Repeats that were not made since the budget was used up.", r.State.Refused},
		{"skipped_total", "counter", "Repeats that were not made for another reason.", r.State.Skipped},
		{"uptime_seconds", "gauge", "Seconds since the start.", r.Seconds},
		{"caller_retries_total", "counter", "Requests that came again by themselves.", r.Callers.Retries},
		{"caller_keyless_total", "counter", "Requests without a key on routes where others have one.", r.Callers.Keyless},
	} {
		name := "idemcheck_proxy_" + g.name
		m.head(name, g.kind, g.help)
		m.line(name, g.value)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
