package inject_test

import (
	"net/http"
	"testing"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// What Options.Provider names strikes a provider in its turn, lose-answer too,
// which is a fault of requests as well.
func TestProviderFaultsHaveTheirTurn(t *testing.T) {
	faults := []inject.Fault{inject.LoseAnswer, inject.Fail, inject.Refuse}
	run := inject.Options{Provider: faults}.Start(t)
	provider := run.Transport(answering(http.StatusCreated))
	for id := range run.IDs(8) {
		r, _ := http.NewRequest(http.MethodPost, "http://card/"+id, nil)
		_, _ = provider.RoundTrip(r)
	}
	fired := map[string]int{}
	for _, e := range run.History().Events {
		if e.Kind == history.Fault {
			fired[e.Name]++
		}
	}
	for _, f := range faults {
		if fired[f.Name] != 2 {
			t.Errorf("%s struck %d times, not 2", f, fired[f.Name])
		}
	}
}
