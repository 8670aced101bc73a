package observe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics reads totals that a service publishes in the text format of
// Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). A
// total has no ids: it is for rules, which compare what it was before and after.
type Metrics struct {
	URL       string // http://127.0.0.1:8080/metrics
	Headers   http.Header
	Agent     string            // User-Agent
	Transport http.RoundTripper // nil: a direct connection, closed after each read
}

// Value is the sum of all samples of a series, and whether there are any: a
// counter with labels is often not there before it first counts. It has 5 s.
func (m *Metrics) Value(ctx context.Context, s Series) (sum float64, found bool, err error) {
	text, err := m.fetch(ctx)
	if err == nil {
		sum, found, err = s.in(text)
	}
	if err != nil {
		return 0, false, fmt.Errorf("metrics: %s: %w", m.URL, err)
	}
	return sum, found, nil
}

func (m *Metrics) fetch(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL, nil)
	if err != nil {
		return nil, err
	}
	if m.Headers != nil {
		r.Header = m.Headers.Clone()
	}
	r.Header.Set("User-Agent", m.Agent)
	r.Header.Set("Accept", "text/plain;version=0.0.4")
	via := m.Transport
	if via == nil {
		own := &http.Transport{}
		defer own.CloseIdleConnections()
		via = own
	}
	client := &http.Client{Transport: via, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return nil, plain(ctx, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, plain(ctx, err)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("answered %d: %s", res.StatusCode, excerpt(body))
	case len(body) > maxBody:
		return nil, fmt.Errorf("answer of more than %d MiB", maxBody>>20)
	}
	return body, nil
}

// in adds up the samples of the series.
func (s Series) in(text []byte) (sum float64, found bool, err error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return 0, false, fmt.Errorf("is not in the text format of Prometheus: %w", err)
	}
	for name, family := range families {
		for _, m := range family.Metric {
			if v, ok := sample(m, name, s.Name); ok && s.matches(m) {
				sum, found = sum+v, true
			}
		}
	}
	return sum, found, nil
}

// sample is what a metric of a family shows under a name: its value, or the
// count or sum of a histogram or summary.
func sample(m *dto.Metric, family, name string) (float64, bool) {
	switch {
	case name == family && m.Counter != nil:
		return m.Counter.GetValue(), true
	case name == family && m.Gauge != nil:
		return m.Gauge.GetValue(), true
	case name == family && m.Untyped != nil:
		return m.Untyped.GetValue(), true
	case name == family+"_count" && m.Histogram != nil:
		return float64(m.Histogram.GetSampleCount()), true
	case name == family+"_sum" && m.Histogram != nil:
		return m.Histogram.GetSampleSum(), true
	case name == family+"_count" && m.Summary != nil:
		return float64(m.Summary.GetSampleCount()), true
	case name == family+"_sum" && m.Summary != nil:
		return m.Summary.GetSampleSum(), true
	}
	return 0, false
}
