package config

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// parseRequest reads "GET /charges?order=${id}", whose path may be a whole URL.
// To count, it must use ${id} or ${key}; which of them says what is reported.
func parseRequest(s string) (method string, u template.Text, err error) {
	method, path, ok := strings.Cut(strings.TrimSpace(s), " ")
	path = strings.TrimSpace(path)
	if !ok || method != strings.ToUpper(method) || strings.Contains(method, "/") {
		return "", u, fmt.Errorf("http: %q: want a method and a path or URL: GET /charges?order=${id}", s)
	}
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "http://") && !strings.HasPrefix(path, "https://") {
		return "", u, fmt.Errorf("http: %q: want a path that begins with / or a URL with http:// or https://", s)
	}
	if u, err = template.Parse(path); err != nil {
		return "", u, fmt.Errorf("http: %q: %w", s, err)
	}
	return method, u, nil
}
