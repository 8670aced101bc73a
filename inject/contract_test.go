package inject

import (
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// A contract that would not be judged as it is meant is no contract.
func TestContractsAreChecked(t *testing.T) {
	for want, f := range map[string]contract.Field{
		`inject.Start: contract.mismatch: confidence "" of ["422"] is none, and it would not be judged: in Go, make it by contract.State`: {Values: []string{"422"}},
		`inject.Start: contract.mismatch: "rejct" is not legal here: a status, reject (any refusal), replay, execute`:                     contract.State("rejct"),
		"": contract.State("422"),
	} {
		got := saying(t, func(t *fakeT) { Options{Contract: contract.Contract{Mismatch: f}}.Start(t) })
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}
