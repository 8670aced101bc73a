package observe

import (
	"fmt"
	"net/url"
	"strings"
)

const hidden = "xxxxx"

// redact is a URL without its password.
func redact(u *url.URL) string {
	shown := *u
	if q := shown.Query(); q.Has("password") {
		q.Set("password", hidden)
		shown.RawQuery = q.Encode()
	}
	return shown.Redacted()
}

// secrets are the spellings in which a password may turn up in an error.
func secrets(u *url.URL) []string {
	var out []string
	add := func(s string) {
		if s != "" {
			out = append(out, s, url.QueryEscape(s), url.PathEscape(s))
		}
	}
	if p, ok := u.User.Password(); ok {
		add(p)
	}
	add(u.Query().Get("password"))
	return out
}

// maskedError shows an error's text without secrets.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

// wrap puts the database before an error and takes its password out of it.
func (d *database) wrap(err error) error {
	text := err.Error()
	for _, s := range d.secrets {
		text = strings.ReplaceAll(text, s, hidden)
	}
	if text == err.Error() {
		return fmt.Errorf("sql: %s: %w", d.shown, err)
	}
	return &maskedError{text: "sql: " + d.shown + ": " + text, err: err}
}
