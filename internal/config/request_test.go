package config

import (
	"strings"
	"testing"
)

func TestRequestErrors(t *testing.T) {
	for in, want := range map[string]string{
		"/charges/${id}":         "want a method and a path",
		"get /charges/${id}":     "want a method and a path",
		"GET charges/${id}":      "begins with /",
		"GET /charges?o=${id":    "unclosed ${",
		"GET ftp://x/${id}":      "http:// or https://",
		"GET  /charges?o=${int}": "int takes two whole numbers",
	} {
		if _, _, err := parseRequest(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", in, err, want)
		}
	}
}
