package inject

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// ProviderCall is one accepted call of a provider, for making its answer.
type ProviderCall struct {
	Number int    // 1, 2, 3 ... of the effects in the ledger
	ID     string // of the operation
	Body   []byte // of the request
}

// Provider plays the outside world: an http.Handler with a ledger of effects.
// Each call that is not a replay is an effect: it is in the ledger, and recorded,
// before it is answered. Every answer says Connection: close, so that a lost one
// meets the application and not its HTTP library, which would send again by itself.
//
// Keys are kept as Contract says. With the zero Contract it acts like Stripe's
// v1 API (docs.stripe.com/api/idempotent_requests): header Idempotency-Key; good
// and bad answers are kept 24 h and replayed byte for byte, marked
// Idempotent-Replayed: true; 400 for another body under the same key; 409 while
// the first call runs; calls without a key are all executed. Keys of one account
// (the header Authorization) mean nothing to another, unless Contract says that
// the key alone tells operations apart.
//
// A GET below the path of Effect answers the object made earlier.
type Provider struct {
	Name     string                                         // the observer's name: card-charge
	Actor    string                                         // in the timeline; "" means provider/NAME
	Effect   string                                         // the request that is an effect: "POST /v1/charges"
	ID       string                                         // where the operation's id is: "body /metadata/order", "header X-Order", "query order"
	Contract contract.Contract                              // its own promise on keys; zero: the stripe preset
	Version  string                                         // where the version of its entity is, likewise; "": nowhere
	Sums     []string                                       // JSON pointers to numbers that a rule adds up: they are kept with each effect
	Answer   func(ProviderCall) (status int, body []byte)   // nil: 201 with the request's own fields, an id and a status. It must not call the provider
	Record   func(e history.Event, body []byte) (seq int64) // (*history.Recorder).Add; nil: nothing is recorded. It must not call the provider

	mu      sync.Mutex
	url     string // set by Listen
	ledger  map[string]int
	objects map[string][]byte // answers by the id of the object
	keys    map[string]*kept
	armed   []*armed
	calls   map[string][]*call // in flight, by operation
	made    int                // effects in the ledger
	strays  int
}

// maxCall bounds the body of a call.
const maxCall = 1 << 20

// call is one request that is an effect, as it arrived.
type call struct {
	id, key string
	slot    string // under which the key is kept: that of another account is another
	body    []byte
	print   string // fingerprint of the body, by the contract
	version string
	atOnce  int             // the most calls of its operation that were in flight beside it, itself included
	gone    context.Context // done when the caller has left
}

// Check tells whether Effect, ID and the contract's carrier can be understood.
func (p *Provider) Check() error {
	method, path, ok := strings.Cut(p.Effect, " ")
	if !ok || method == "" || method != strings.ToUpper(method) || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("provider %s: effect %q is not a method and a path, for instance %q", p.Name, p.Effect, "POST /v1/charges")
	}
	if err := checkPlace(p.ID); err != nil {
		return fmt.Errorf("provider %s: id: %w", p.Name, err)
	}
	if c := carrier(&p.Contract); c != "none" && c != "derived" {
		if err := checkPlace(c); err != nil {
			return fmt.Errorf("provider %s: carrier of the key: %w", p.Name, err)
		}
	}
	if p.Version != "" {
		if err := checkPlace(p.Version); err != nil {
			return fmt.Errorf("provider %s: version: %w", p.Name, err)
		}
	}
	return nil
}

// Ledger is the effects so far, by operation id.
func (p *Provider) Ledger() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.ledger)
}

// Strays is the number of calls that could not be an effect because they carried
// no id where ID says: the provider is configured wrongly, or the caller is.
func (p *Provider) Strays() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strays
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if err := p.Check(); err != nil {
		reply{status: http.StatusInternalServerError, body: problem("misconfigured", err.Error())}.write(w)
		return
	}
	if r.Method+" "+r.URL.Path != p.Effect {
		p.serveObject(w, r)
		return
	}
	c, bad := p.arrival(w, r)
	if bad != nil {
		bad.write(w)
		return
	}
	p.enter(c)
	answer, lost := p.take(r.Context(), c)
	p.leave(c)
	if lost != nil {
		p.fire(lost, c.id, "")
		breakOff(w)
		return
	}
	answer.write(w)
}

// serveObject answers what is not an effect.
func (p *Provider) serveObject(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(p.Effect, " ")
	id, below := strings.CutPrefix(r.URL.Path, path+"/")
	p.mu.Lock()
	body := p.objects[id]
	p.mu.Unlock()
	switch {
	case !below || body == nil:
		reply{status: http.StatusNotFound, body: problem("not_found", "this provider knows "+p.Effect+", and GET of what that made")}.write(w)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		reply{status: http.StatusMethodNotAllowed, body: problem("method_not_allowed", "GET it")}.write(w)
	default:
		reply{status: http.StatusOK, body: body}.write(w)
	}
}

// arrival reads a call, or gives the answer to one that cannot be read.
func (p *Provider) arrival(w http.ResponseWriter, r *http.Request) (*call, *reply) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if err != nil {
		return nil, p.stray(http.StatusRequestEntityTooLarge, "a call's body could not be read: "+err.Error())
	}
	c := &call{body: body, print: p.fingerprint(body), gone: r.Context()}
	if p.Version != "" {
		c.version = place(p.Version, r, body)
	}
	if c.id = place(p.ID, r, body); c.id == "" {
		return nil, p.stray(http.StatusBadRequest, "a call carried no operation id at "+p.ID+": see id: of provider "+p.Name)
	}
	c.key = sentKey(&p.Contract, r, body)
	c.slot = c.key
	if !slices.Contains(p.Contract.Scope.Values, "key") {
		c.slot = account(r) + c.key
	}
	return c, nil
}

// account tells callers apart by what they authorise themselves with.
func account(r *http.Request) string {
	sum := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	return string(sum[:])
}

func (p *Provider) stray(status int, why string) *reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays++
	p.record(history.Event{Kind: history.Mark, Name: history.MarkNote, Actor: p.actor(), Cause: why})
	return &reply{status: status, body: problem("no_operation_id", why)}
}

func (p *Provider) actor() string {
	if p.Actor != "" {
		return p.Actor
	}
	return "provider/" + p.Name
}

// record is called with the lock held, so that counts are recorded in order.
func (p *Provider) record(e history.Event) {
	if p.Record != nil {
		p.Record(e, nil)
	}
}

// execute makes the effect and its answer.
func (p *Provider) execute(c *call) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ledger == nil {
		p.ledger, p.objects = map[string]int{}, map[string][]byte{}
	}
	p.ledger[c.id]++
	p.record(history.Event{Kind: history.Effect, Name: p.Name, Op: c.id, Key: c.key, Actor: p.actor(), Count: p.ledger[c.id], Attrs: p.about(c)})
	p.made++
	answer := p.answer(ProviderCall{Number: p.made, ID: c.id, Body: c.body})
	if id := parse(answer.body).text("/id"); id != "" {
		p.objects[id] = answer.body
	}
	return answer
}

func (p *Provider) answer(c ProviderCall) reply {
	if p.Answer != nil {
		status, body := p.Answer(c)
		return reply{status: status, body: body}
	}
	return reply{status: http.StatusCreated, body: p.object(c)}
}

// life is how long a key is kept.
func (p *Provider) life() time.Duration { return positive(p.Contract.Life, 24*time.Hour) }
