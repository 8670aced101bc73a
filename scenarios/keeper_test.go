package scenarios_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// keeper is a service in memory that keeps a contract in every field of it,
// but for the one that broken names. It takes 5 ms, part of them at its
// provider.
type keeper struct {
	*target.HTTP
	contract contract.Contract
	broken   string
	provider *inject.Provider

	mu      sync.Mutex
	records map[string]*record
	effects map[string]int
	made    int
}

// record is what it knows of a key.
type record struct {
	begun, ended time.Time
	done         chan struct{}
	body         []byte // of the request
	answer       answer
	id           string // of what was made
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (k *keeper) has(axis, value string) bool {
	for _, a := range contract.Axes {
		if a.Name == axis {
			return a.Field(&k.contract).Has(value)
		}
	}
	return false
}

// status is the first status among the values of an axis, else the other.
func status(f contract.Field, other int) int {
	for _, v := range f.Values {
		if n, err := strconv.Atoi(v); err == nil {
			return n
		}
	}
	return other
}

func (k *keeper) Send(ctx context.Context, m target.Message) inject.Answer {
	if m.Fault.Name == "lose-request" {
		return inject.Answer{Status: "reset", Fired: true}
	}
	a := k.serve(m)
	switch m.Fault.Name {
	case "lose-answer", "cut-client":
		return inject.Answer{Status: "reset", Fired: true}
	}
	return inject.Answer{Status: strconv.Itoa(a.status), Header: a.header, Body: []byte(a.body), Fired: m.Fault.Name != ""}
}

func (k *keeper) Together(ctx context.Context, ms []target.Message, offset time.Duration, done func(int, inject.Answer)) (time.Duration, bool) {
	var group sync.WaitGroup
	for i, m := range ms {
		group.Go(func() {
			if i > 0 {
				time.Sleep(max(offset, time.Millisecond))
			}
			done(i, k.Send(ctx, m))
		})
	}
	group.Wait()
	return 0, true
}

// keyOf reads the key where the contract has it travel.
func (k *keeper) keyOf(m target.Message) (key string, doubled bool) {
	where := "header Idempotency-Key"
	if v := k.contract.Carrier.Values; len(v) > 0 {
		where = v[0]
	}
	in, name, _ := strings.Cut(where, " ")
	if k.broken == "carrier" {
		name += "-other"
	}
	switch in {
	case "header":
		vs := m.Header.Values(name)
		return strings.TrimSpace(strings.Join(vs, ",")), len(vs) > 1
	case "query":
		u, _ := url.Parse(m.URL)
		return u.Query().Get(name), false
	case "graphql":
		_, rest, _ := strings.Cut(string(m.Body), `@idempotent(key: \"`)
		key, _, _ = strings.Cut(rest, `\"`)
		return key, false
	}
	var tree any
	_ = json.Unmarshal(m.Body, &tree)
	for _, token := range strings.Split(strings.TrimPrefix(name, "/"), "/") {
		object, _ := tree.(map[string]any)
		tree = object[token]
	}
	key, _ = tree.(string)
	return strings.TrimSpace(key), false
}

func (k *keeper) serve(m target.Message) answer {
	key, doubled := k.keyOf(m)
	if a, no := k.refuseKey(key, doubled); no {
		return a
	}
	if key == "" {
		return k.work(m, &record{})
	}
	if k.broken != "scope" {
		key += "\x00" + m.Header.Get("Authorization")
	}
	k.mu.Lock()
	r := k.records[key]
	if r != nil && r.finished() && k.contract.Life > 0 && time.Since(r.ended) >= k.contract.Life {
		if a, no := k.tooOld(); no {
			k.mu.Unlock()
			return a
		}
		if !k.stillThere() {
			r = nil
		}
	}
	if r == nil {
		r = &record{begun: time.Now(), done: make(chan struct{}), body: bytes.Clone(m.Body)}
		k.records[key] = r
		k.mu.Unlock()
		return k.first(m, key, r)
	}
	k.mu.Unlock()
	return k.again(m, r)
}

func (r *record) finished() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// tooOld is the answer to a key whose life has ended, where it is refused.
func (k *keeper) tooOld() (answer, bool) {
	rejects := !k.has("after_life", "new") && len(k.contract.AfterLife.Values) > 0
	if rejects && k.broken != "after_life" {
		return k.problem(status(k.contract.AfterLife, 400), "expired"), true
	}
	return answer{}, false
}

// stillThere says that an expired record is used nevertheless.
func (k *keeper) stillThere() bool { return k.broken == "after_life" }

// refuseKey answers a missing or malformed key, if it is refused.
func (k *keeper) refuseKey(key string, doubled bool) (answer, bool) {
	c := &k.contract
	if key == "" {
		refuses := !c.Missing.Has("run") && len(c.Missing.Values) > 0
		if k.broken == "missing" {
			if c.Missing.Has("run") && len(c.Missing.Values) > 1 {
				return k.problem(500, "crashed"), true
			}
			refuses = !refuses
		}
		return k.problem(status(c.Missing, 400), "no key"), refuses
	}
	bad := doubled
	for _, v := range c.Syntax.Values {
		n, isMax := strings.CutPrefix(v, "max=")
		most, _ := strconv.Atoi(n)
		bad = bad || isMax && len(key) > most || v == "uuid" && len(key) != 36
	}
	return k.problem(status(c.Syntax, 400), "bad key"), bad && k.broken != "syntax"
}

// first does the work and keeps what the contract keeps.
func (k *keeper) first(m target.Message, key string, r *record) answer {
	a := k.work(m, r)
	k.mu.Lock()
	defer k.mu.Unlock()
	r.answer, r.ended = a, time.Now()
	if !k.keeps(a.status) {
		delete(k.records, key)
	}
	close(r.done)
	return a
}

func (k *keeper) keeps(s int) bool {
	class := strconv.Itoa(s/100) + "xx"
	c := &k.contract
	kept := len(c.Stored.Values) == 0 && s < 500 || c.Stored.Has("all") || c.Stored.Has(class)
	if s >= 500 && len(c.Replay5xx.Values) > 0 {
		kept = c.Replay5xx.Has("same") != (k.broken == "replay_5xx")
	}
	return kept != (k.broken == "stored" && s >= 400)
}

// again answers a key that is known.
func (k *keeper) again(m target.Message, r *record) answer {
	c := &k.contract
	if !k.samePayload(r.body, m.Body) && !c.Mismatch.Has("replay") && len(c.Mismatch.Values) > 0 {
		switch {
		case k.broken != "mismatch":
			return k.problem(status(c.Mismatch, 400), cmp.Or(text(c.Errors), "another payload"))
		default:
			<-r.done
			return r.answer
		}
	} else if !k.samePayload(r.body, m.Body) && (k.broken == "mismatch" || k.broken == "fingerprint") {
		return k.work(m, &record{})
	}
	if !r.finished() {
		switch {
		case k.broken == "in_flight" && c.InFlight.Has("reject"):
			return k.problem(500, "busy")
		case k.broken == "in_flight":
			return k.problem(418, "busy")
		case c.InFlight.Has("wait") || len(c.InFlight.Values) == 0:
			<-r.done
		default:
			a := k.problem(status(c.InFlight, 409), "busy")
			if k.broken != "signals" {
				a.header.Set("Retry-After", "1")
			}
			return a
		}
	}
	return k.replay(r)
}

func text(f contract.Field) string {
	for _, v := range f.Values {
		if v != "problem+json" && v != "describedby" && v != "graphql" {
			return v
		}
	}
	return ""
}

func (k *keeper) samePayload(a, b []byte) bool {
	switch {
	case k.has("fingerprint", "key") && k.broken != "fingerprint" && k.broken != "mismatch":
		return true
	case k.has("fingerprint", "raw"), k.has("fingerprint", "canonical") && k.broken == "fingerprint":
		return bytes.Equal(a, b)
	}
	x, _ := history.Canonical(a)
	y, _ := history.Canonical(b)
	return bytes.Equal(x, y)
}

// replay gives the kept answer again, in the first way of the contract.
func (k *keeper) replay(r *record) answer {
	if r.answer.status >= 300 {
		return r.answer
	}
	a := answer{r.answer.status, r.answer.header.Clone(), r.answer.body}
	how := "verbatim"
	if v := k.contract.Replay.Values; len(v) > 0 {
		how = v[0]
	}
	switch {
	case k.broken == "replay" && how == "accepted":
		return k.problem(422, "seen before")
	case k.broken == "replay" && how == "conflict":
		return k.problem(422, "seen before")
	case k.broken == "replay":
		a.body = strings.Replace(a.body, r.id, r.id+"0", 1)
	case how == "remapped":
		a.status = 200
	case how == "current":
		a.body = strings.Replace(a.body, "pending", "settled", 1)
	case how == "conflict":
		a = k.problem(409, r.id)
	case how == "accepted":
		a = answer{202, http.Header{}, "{}"}
	}
	k.mark(&a)
	return a
}

func (k *keeper) mark(a *answer) {
	for _, v := range k.contract.Marker.Values {
		name, value, _ := strings.Cut(v, ":")
		was, is, statuses := strings.Cut(v, "->")
		switch {
		case v == "none", k.broken == "marker" && !statuses:
		case statuses && k.broken == "marker":
			a.status = map[bool]int{true: 200, false: 201}[is == "201"]
		case statuses && was == strconv.Itoa(a.status):
			a.status, _ = strconv.Atoi(is)
		case !statuses:
			a.header.Set(name, cmp.Or(strings.TrimSpace(value), "k"))
		}
	}
}

// work calls the provider and makes the effect.
func (k *keeper) work(m target.Message, r *record) answer {
	time.Sleep(3 * time.Millisecond)
	var body struct {
		Order     string
		Variables struct{ Input struct{ Order string } }
	}
	_ = json.Unmarshal(m.Body, &body)
	order := cmp.Or(body.Order, body.Variables.Input.Order)
	call := httptest.NewRequest("POST", "/v1/charges", strings.NewReader(fmt.Sprintf(`{"order":%q}`, order)))
	call.Header.Set("Authorization", m.Header.Get("Authorization"))
	got := httptest.NewRecorder()
	k.provider.ServeHTTP(got, call)
	time.Sleep(2 * time.Millisecond)
	switch {
	case got.Code == 402:
		return k.problem(402, "declined")
	case got.Code >= 300:
		return k.problem(502, "the provider failed")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.effects[order]++
	k.made++
	r.id = fmt.Sprintf("ch_a%dz", k.made)
	return answer{201, http.Header{"Content-Type": {"application/json"}, "Location": {"/charges/" + r.id}},
		fmt.Sprintf(`{"id":%q,"status":"pending"}`, r.id)}
}

// problem is an error in the look that the contract asks for.
func (k *keeper) problem(s int, title string) answer {
	a := answer{s, http.Header{"Content-Type": {"application/json"}}, fmt.Sprintf(`{"errors":[{"title":%q}]}`, title)}
	if k.has("errors", "problem+json") && k.broken != "errors" {
		a.header.Set("Content-Type", "application/problem+json")
	}
	if k.has("errors", "graphql") && s < 500 {
		a.status = 200
	}
	if k.broken == "errors" {
		a.body = `{"title":"no"}`
	}
	return a
}

// Read counts effects.
func (k *keeper) Read(_ context.Context, q observe.Query) (counts []observe.Count, _ error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range q.IDs {
		if n := k.effects[id]; n > 0 {
			counts = append(counts, observe.Count{ID: id, N: n})
		}
	}
	return counts, nil
}

// Age makes records older.
func (k *keeper) Age(_ context.Context, q observe.Query, by time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, r := range k.records {
		bare, _, _ := strings.Cut(key, "\x00")
		if slices.Contains(q.Keys, bare) {
			r.ended = r.ended.Add(-by)
		}
	}
	return nil
}
