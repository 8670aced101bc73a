package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/template"
)

// AgeHTTP ages by an admin request, one for each id or key that its URL, body
// or headers name (${id}, ${key}), or one for all; ${seconds} is by how much.
type AgeHTTP struct {
	HTTP               // Method, URL, Base, Headers, Agent, Transport; Count is not used
	Body template.Node // sent as JSON
	JSON bool          // there is a body
}

// Age asks. An answer that is not 2xx is an error.
func (a *AgeHTTP) Age(ctx context.Context, q Query, by time.Duration) error {
	a.setup.Do(a.connect)
	vars := each(q, a.Uses())
	if len(vars) == 0 {
		return errors.New("age: http: nothing to ask for: no id or key was sent")
	}
	return inParallel(ctx, len(vars), func(ctx context.Context, i int) error {
		v := vars[i]
		v.Values, v.Numbers = map[string]string{"seconds": inSeconds(by)}, map[string]bool{"seconds": true}
		return a.post(ctx, v)
	})
}

// Uses are the names in its templates.
func (a *AgeHTTP) Uses() []string {
	names := append(a.URL.Names(), a.Body.Names()...)
	for _, h := range a.Headers {
		names = append(names, h.Value.Names()...)
	}
	return names
}

func (a *AgeHTTP) post(ctx context.Context, v template.Vars) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	r, err := a.request(ctx, v)
	if err != nil {
		return fmt.Errorf("age: %w", err)
	}
	if a.JSON {
		body, err := a.Body.JSON(v)
		if err != nil {
			return fmt.Errorf("age: http: body: %w", err)
		}
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	shown := r.Method + " " + r.URL.Redacted()
	res, err := a.client.Do(r)
	if err != nil {
		return fmt.Errorf("age: http: %s: %w", shown, plain(ctx, err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("answered %d: %s", res.StatusCode, excerpt(body))
	}
	if err != nil {
		return fmt.Errorf("age: http: %s: %w", shown, plain(ctx, err))
	}
	return nil
}
