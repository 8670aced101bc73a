package observe

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// ask makes one request and reads its count.
func (h *HTTP) ask(ctx context.Context, v template.Vars) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	r, err := h.request(ctx, v)
	if err != nil {
		return 0, err
	}
	shown := r.Method + " " + r.URL.Redacted()
	res, err := h.client.Do(r)
	if err != nil {
		return 0, fmt.Errorf("http: %s: %w", shown, plain(ctx, err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return 0, fmt.Errorf("http: %s: %w", shown, plain(ctx, err))
	}
	n, err := count(res, body, h.Count)
	if err != nil {
		return 0, fmt.Errorf("http: %s: %w", shown, err)
	}
	return n, nil
}

// request renders the URL with escaped values and the headers with bare ones.
func (h *HTTP) request(ctx context.Context, v template.Vars) (*http.Request, error) {
	text, err := h.URL.Expand(v.Escaped())
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	if !u.IsAbs() && h.Base != nil {
		u = join(h.Base, u)
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
	for _, header := range h.Headers {
		value, err := header.Value.Expand(v)
		if err != nil {
			return nil, fmt.Errorf("http: header %s: %w", header.Name, err)
		}
		r.Header.Set(header.Name, value)
	}
	return r, nil
}

// join puts a path under the target's, as the target does: http://host/api and
// /charges make http://host/api/charges.
func join(base, path *url.URL) *url.URL {
	u := *base
	u.Path = strings.TrimSuffix(base.Path, "/") + path.Path
	u.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + path.EscapedPath()
	u.RawQuery = path.RawQuery
	return &u
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
