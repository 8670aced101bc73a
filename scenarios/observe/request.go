package observe

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/idemcheck/idemcheck/internal/template"
)

// ask makes one request and reads its count into c.
func (h *HTTP) ask(ctx context.Context, v template.Vars, c *Count) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	r, err := h.request(ctx, v)
	if err != nil {
		return err
	}
	shown := r.Method + " " + r.URL.Redacted()
	res, err := h.client.Do(r)
	if err != nil {
		return fmt.Errorf("http: %s: %w", shown, plain(ctx, err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return fmt.Errorf("http: %s: %w", shown, plain(ctx, err))
	}
	if c.N, c.Version, err = count(res, body, h.Count, h.Version); err != nil {
		return fmt.Errorf("http: %s: %w", shown, err)
	}
	return nil
}

// request renders the URL with escaped values and the headers with bare ones;
// a header of the scope replaces the observer's own.
func (h *HTTP) request(ctx context.Context, v template.Vars) (*http.Request, error) {
	u, err := h.URL.URL(h.Base, v)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	method := h.Method
	if method == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	r.Header.Set("User-Agent", h.Agent)
	r.Header.Set("Accept", "application/json")
	for _, header := range append(slices.Clone(h.Headers), h.Scopes[v.Scope]...) {
		value, err := header.Value.Expand(v)
		if err != nil {
			return nil, fmt.Errorf("http: header %s: %w", header.Name, err)
		}
		r.Header.Set(header.Name, value)
	}
	return r, nil
}

// plain takes the request out of a client's error, which the caller names
// already, and prefers the reason that a context was ended for.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}
