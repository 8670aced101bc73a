package traffic

import (
	"encoding/json"
	"io"
)

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
