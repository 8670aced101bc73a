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
		{"life", orSilent(c.Life), ""},
		{"claim", orSilent(c.Claim), ""},
	}
	for _, a := range contract.Axes {
		f := a.Field(&c)
		if len(f.Values) == 0 {
			rows = append(rows, []string{a.Name, "-", a.Doc + " " + a.Legal})
			continue
		}
		rows = append(rows, []string{a.Name, strings.Join(f.Values, ", "), fmt.Sprintf("%s: %s", f.Confidence, f.Source)})
	}
	if err := table(w, c.Name+": "+c.Doc, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n  - is silent: never judged. primary and stated are judged, second-hand and unverified are only reported.")
	return err
}

func orSilent(d fmt.Stringer) string {
	if d.String() == "0s" {
		return "-"
	}
	return d.String()
}
