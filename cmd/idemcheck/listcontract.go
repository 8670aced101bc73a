package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// listContract prints every axis of a contract with its source.
func listContract(w io.Writer, c contract.Contract) error {
	rows := [][]string{
		{"life", lifeOf(c), from(c.LifeFrom)},
		{"claim", orSilent(c.Claim), ""},
	}
	for _, a := range contract.Axes {
		f := a.Field(&c)
		if len(f.Values) == 0 {
			rows = append(rows, []string{a.Name, "-", a.Doc + " " + a.Legal})
			continue
		}
		rows = append(rows, []string{a.Name, strings.Join(f.Values, ", "), from(*f)})
	}
	if err := table(w, c.Name+": "+c.Doc, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n  - is silent: never judged. primary and stated are judged, second-hand and unverified are only reported.")
	return err
}

// from is where a field was read, and how sure it is.
func from(f contract.Field) string {
	if f.Source == "" {
		return string(f.Confidence)
	}
	return fmt.Sprintf("%s: %s", f.Confidence, f.Source)
}

// lifeOf says of a life whether it is a time at least.
func lifeOf(c contract.Contract) string {
	if c.LifeFrom.Has("at least") {
		return "at least " + c.Life.String()
	}
	return orSilent(c.Life)
}

func orSilent(d fmt.Stringer) string {
	if d.String() == "0s" {
		return "-"
	}
	return d.String()
}
