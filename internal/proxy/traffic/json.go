package traffic

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the report for machines: the object that the type Report describes.
// No list is null.
func (r Report) JSON(w io.Writer) error {
	r.Routes, r.Notes, r.State.Rules, r.Callers.Findings = list(r.Routes), list(r.Notes), list(r.State.Rules), list(r.Callers.Findings)
	for i := range r.Routes {
		route := &r.Routes[i]
		route.Masks, route.Counted, route.Findings = list(route.Masks), list(route.Counted), list(route.Findings)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ReadReport reads what JSON wrote.
func ReadReport(from io.Reader) (r Report, err error) {
	if err = json.NewDecoder(from).Decode(&r); err != nil {
		return r, fmt.Errorf("report of the proxy: %w", err)
	}
	if r.Version != 1 {
		return r, fmt.Errorf("report of the proxy: version %d, and this tool knows version 1", r.Version)
	}
	return r, nil
}

// Exit is the exit code: 1 for a route that is as bad as level or worse ("certain",
// "likely"; "never": none is), else 3 where no repeat said anything or a route that
// was repeated is not settled, else 0.
func (r Report) Exit(level string) int {
	tried, open := false, false
	for _, route := range r.Routes {
		if level != "never" && (route.Verdict == Certain || route.Verdict == Likely && level != "certain") {
			return 1
		}
		tried = tried || route.Tried > 0
		open = open || route.Verdict == Unknown || route.Verdict == Likely && level == "certain"
	}
	if !tried || open {
		return 3
	}
	return 0
}
