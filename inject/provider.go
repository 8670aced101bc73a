package inject

import (
	"net/http"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Call is one accepted call of a provider, for making its answer.
type Call struct {
	Number int    // 1, 2, 3 ... of the effects in the ledger
	ID     string // of the operation
	Body   []byte
}

// Provider plays the outside world: an HTTP server with a ledger of effects.
type Provider struct {
	Name     string                                         // the observer's name: card-charge
	Actor    string                                         // in the timeline; "" means provider/NAME
	Effect   string                                         // the request that is an effect: "POST /v1/charges"
	ID       string                                         // where the operation's id is: "body /metadata/order", "header X-Order", "query order"
	Contract contract.Contract                              // its own promise on keys; zero: the stripe preset
	Answer   func(Call) (status int, body []byte)           // nil: 201 with the request's own fields, an id and a status
	Record   func(e history.Event, body []byte) (seq int64) // (*history.Recorder).Add; nil: nothing is recorded
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) { panic("todo") }

// Arm asks for a fault on the nth call (1, 2 ...) of operation op, counted from
// now. fired tells whether it happened; note says more ("waited").
func (p *Provider) Arm(f Fault, op string, call int) (fired func() (bool, string)) { panic("todo") }

// Ledger is the effects so far, by operation id.
func (p *Provider) Ledger() map[string]int { panic("todo") }
