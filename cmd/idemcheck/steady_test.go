package main

import "regexp"

// unsteady is what differs between two runs of the same thing.
var unsteady = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d+(\.\d+)? (ms|s)\b`), "N $2"},
	{regexp.MustCompile(`"seconds": [0-9.]+`), `"seconds": N`},
	{regexp.MustCompile(`(?m)^ +\d+(\.\d)?  ([a-z])`), "       N  $2"},
	{regexp.MustCompile(`\b(ch|tr|cu)_[a-z0-9]{26}`), "${1}_ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "TIME"},
	{regexp.MustCompile(`with the answer|N ms after the answer`), "SOON"},
	{regexp.MustCompile(`(?m)^scenarios: \d+ of \d+`), "scenarios: N of N"}, // the catalogue grows
	{regexp.MustCompile(`(?m)^  make no sense for these operations: .*\n`), ""},
}
