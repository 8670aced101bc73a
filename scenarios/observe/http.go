package observe

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/idemcheck/idemcheck/internal/template"
)

const (
	maxBody  = 16 << 20 // bytes of an answer that are read
	parallel = 4        // requests in flight
)

// Header is a request header of an HTTP observer: a name, and a template of its
// value.
type Header struct {
	Name  string
	Value template.Text
}

// HTTP counts effects by asking an API, one request for each id, or for each
// key where the request uses ${key}.
type HTTP struct {
	Method    string        // "" means GET
	URL       template.Text // a whole one, or a path on Base
	Base      *url.URL      // of the target, for a URL that is only a path
	Headers   []Header
	Count     string              // JSON pointer to the count in the answer: an array counts its length, a number itself; 404, null or absent is 0
	Version   string              // JSON pointer to the version of the entity; "": it shows none
	Scopes    map[string][]Header // headers of each scope that is asked for (Query.Scope)
	Agent     string              // User-Agent
	Transport http.RoundTripper   // nil: direct connections, no proxy
	setup     sync.Once
	client    *http.Client
}

// By is "id" or "key".
func (h *HTTP) By() string {
	if slices.Contains(h.URL.Names(), "key") {
		return "key"
	}
	return "id"
}

// Read implements Observer.
func (h *HTTP) Read(ctx context.Context, q Query) ([]Count, error) {
	h.setup.Do(h.connect)
	byKey := h.By() == "key"
	names := distinct(q.IDs)
	if byKey {
		names = distinct(q.Keys)
	}
	counts := make([]Count, len(names))
	err := inParallel(ctx, len(names), func(ctx context.Context, i int) error {
		v := template.Vars{Run: q.Run, Scope: q.Scope}
		if counts[i].Scope = q.Scope; byKey {
			v.Key, counts[i].Key = names[i], names[i]
		} else {
			v.ID, counts[i].ID = names[i], names[i]
		}
		return h.ask(ctx, v, &counts[i])
	})
	if err != nil {
		return nil, err
	}
	return some(counts), nil
}

// some are those that have an effect.
func some(counts []Count) (out []Count) {
	for _, c := range counts {
		if c.N != 0 {
			out = append(out, c)
		}
	}
	return out
}

func (h *HTTP) connect() {
	t := h.Transport
	if t == nil {
		t = &http.Transport{MaxIdleConnsPerHost: parallel}
	}
	h.client = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Close drops idle connections.
func (h *HTTP) Close() error {
	h.setup.Do(h.connect)
	h.client.CloseIdleConnections()
	return nil
}
