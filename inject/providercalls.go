package inject

import "net/http"

// Transport is the system's side of a provider: each call through it that holds
// the id of an operation is an effect, and the run's provider faults strike it.
func (r *Run) Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(q *http.Request) (*http.Response, error) {
		body, err := takeBody(q)
		if err != nil {
			return nil, err
		}
		found := r.find([]string{q.URL.Path, string(body)})
		resp, err := next.RoundTrip(withBody(q, body))
		if err == nil && resp.StatusCode/100 == 2 && len(found) == 1 {
			r.happen("provider/"+q.URL.Host, r.operation(found[0]))
		}
		return resp, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
