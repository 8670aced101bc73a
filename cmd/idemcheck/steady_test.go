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
	{regexp.MustCompile(`\b(ch|tr)_[a-z0-9]{26}`), "${1}_ID"},
}
