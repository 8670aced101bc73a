package traffic

import (
	"encoding/json"
	"io"
	"net/http"
)

type carriers struct{}

func newCarriers(Options) carriers { return carriers{} }

type tree struct{}

func (*tree) init(Options) {}

type table struct{}

func (*table) init(int) {}

// Read reads the head of a request, as it is on the wire, in one pass. It
// allocates nothing.
func (l *Learner) Read(head []byte) Sent { return Sent{} }

// ReadHeader is Read for a header that net/http has taken apart.
func (l *Learner) ReadHeader(h http.Header) Sent { return Sent{} }

// Route names the route of a request: "POST /charges/{}". It allocates nothing
// for a route that is known.
func (l *Learner) Route(method, path []byte) string { return "" }

// Pass counts one request.
func (l *Learner) Pass(p *Pass) {}

// Repeat compares the answers to a request that was sent twice.
func (l *Learner) Repeat(r Repeat) {}

// Effects notes what an observer counted for one operation.
func (l *Learner) Effects(e Effects) {}

// Total notes how a sum changed.
func (l *Learner) Total(t Total) {}

// Looks are the GETs that would show what repeats made, each given out once.
func (l *Learner) Looks() []Look { return nil }

// Looked notes how a look was answered.
func (l *Learner) Looked(id int64, a Answer) {}

// Report is what was learned so far. Run, Tool, Seed, State and Notes are left
// to the caller.
func (l *Learner) Report() Report { return Report{Version: 1} }

// Text writes the report for people.
func (r Report) Text(w io.Writer, color bool) error { return nil }

// JSON writes the report for machines.
func (r Report) JSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// HTML writes the report as a page. live makes it renew itself.
func (r Report) HTML(w io.Writer, live bool) error { return nil }

// Metrics writes the report as text for Prometheus.
func (r Report) Metrics(w io.Writer) error { return nil }

// Exit is the exit code: 1 for a route that is as bad as level or worse ("certain",
// "likely", "never"), else 3 where nothing was repeated or a route that was repeated
// is unknown, else 0.
func (r Report) Exit(level string) int { return 0 }

// ReadReport reads what JSON wrote.
func ReadReport(r io.Reader) (Report, error) {
	var report Report
	return report, json.NewDecoder(r).Decode(&report)
}
