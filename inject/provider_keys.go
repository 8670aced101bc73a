package inject

import (
	"cmp"
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// kept is what a provider remembers of one key.
type kept struct {
	print string
	since time.Time
	done  chan struct{} // closed when the first call has ended
	reply reply         // valid after done
}

// take decides what becomes of a call, in this order: its armed faults are
// found, the key is claimed or answers, the call may be held or fail, the effect
// is made, the answer is kept. A fault that is returned loses the answer.
func (p *Provider) take(ctx context.Context, c *call) (answer reply, lost *armed) {
	p.mu.Lock()
	f := p.strike(c.id)
	claim, answer, answered := p.claim(c)
	if claim == nil {
		f.hold = nil
	}
	p.meet(c.id, f.hold)
	p.mu.Unlock()
	p.pause(ctx, c, f)
	for claim == nil && !answered { // another call of the same key is running, and the contract says wait
		claim, answer, answered = p.wait(ctx, c)
	}
	keep := false
	if !answered {
		answer, keep = p.perform(c, f)
	}
	if claim != nil {
		p.settle(claim, c.slot, answer, keep)
	}
	if f.after() {
		p.fire(f.fail, c.id, "")
		answer = unavailable
	}
	return answer, f.lose
}

// perform is a call that is neither a replay nor refused for its key.
func (p *Provider) perform(c *call, f struck) (answer reply, keep bool) {
	switch {
	case f.fail != nil && !f.after():
		p.fire(f.fail, c.id, "")
		return unavailable, false
	case f.refuse != nil:
		p.fire(f.refuse, c.id, "")
		return reply{status: http.StatusPaymentRequired, body: problem("declined", "the card was declined")}, true
	}
	answer = p.execute(c)
	return answer, p.stores(answer.status)
}

// unavailable is the answer of fail.
var unavailable = reply{status: http.StatusServiceUnavailable, body: problem("unavailable", "try again later")}

// after tells whether the call fails after whatever became of it.
func (s struck) after() bool {
	if s.fail == nil {
		return false
	}
	_, after := s.fail.fault.failing()
	return after
}

// claim looks the key up, with the lock held. It returns a claim to execute
// under (empty for a call without a key), or the answer to give; neither means
// that the call must wait.
func (p *Provider) claim(c *call) (claim *kept, answer reply, answered bool) {
	if c.key == "" {
		if status, no := p.missing(); no {
			return nil, reply{status: status, body: problem("key_missing", "an idempotency key is required")}, true
		}
		return &kept{}, reply{}, false
	}
	k := p.keys[c.slot]
	if k != nil && k.ended() && time.Since(k.since) >= p.life() {
		if status, no := first(p.Contract.AfterLife); no || slices.Contains(p.Contract.AfterLife.Values, "reject") {
			return nil, reply{status: cmp.Or(status, http.StatusBadRequest), body: problem("key_expired", "this key is too old")}, true
		}
		k = nil
	}
	switch {
	case k == nil:
		return p.fresh(c), reply{}, false
	case !k.ended():
		answer, answered = p.busy()
		return nil, answer, answered
	case k.print != c.print:
		return p.mismatch(c, k)
	}
	return nil, p.replay(c, k), true
}

func (p *Provider) fresh(c *call) *kept {
	if p.keys == nil {
		p.keys = map[string]*kept{}
	}
	k := &kept{print: c.print, since: time.Now(), done: make(chan struct{})}
	p.keys[c.slot] = k
	return k
}

func (k *kept) ended() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// busy answers a call whose key is in use; not answered means wait.
func (p *Provider) busy() (reply, bool) {
	status, ok := first(p.Contract.InFlight)
	if !ok && slices.Contains(p.Contract.InFlight.Values, "wait") {
		return reply{}, false
	}
	if !ok {
		status = http.StatusConflict
	}
	return reply{status: status, body: problem("idempotency_key_in_use", "a call with this key is running")}, true
}

// mismatch is a call with a kept key and another body.
func (p *Provider) mismatch(c *call, k *kept) (*kept, reply, bool) {
	status, ok := first(p.Contract.Mismatch)
	switch {
	case ok:
	case slices.Contains(p.Contract.Mismatch.Values, "replay"):
		return nil, p.replay(c, k), true
	case slices.Contains(p.Contract.Mismatch.Values, "execute"):
		return p.fresh(c), reply{}, false
	default:
		status = http.StatusBadRequest
	}
	return nil, reply{status: status, body: problem("idempotency_error", "this key was used with another body")}, true
}

func (p *Provider) replay(c *call, k *kept) reply {
	answer := k.reply
	if answer.status >= 400 {
		p.record(history.Event{Kind: history.Moment, Name: p.Name, Op: c.id, Key: c.key, Actor: p.actor(),
			Attrs: map[string]string{history.AttrStale: strconv.Itoa(answer.status)}})
	}
	answer.marker = "Idempotent-Replayed: true"
	if m := p.Contract.Marker.Values; len(m) > 0 {
		answer.marker = m[0]
	}
	return answer
}

// wait lets the running call of the same key end, then looks again.
func (p *Provider) wait(ctx context.Context, c *call) (*kept, reply, bool) {
	p.mu.Lock()
	k := p.keys[c.slot]
	p.mu.Unlock()
	if k != nil {
		select {
		case <-k.done:
		case <-ctx.Done():
			return nil, reply{status: http.StatusConflict, body: problem("idempotency_key_in_use", "the caller did not wait")}, true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.claim(c)
}

// settle ends a claim.
func (p *Provider) settle(k *kept, slot string, answer reply, keep bool) {
	if k.done == nil {
		return // a call without a key
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.reply = answer; !keep && p.keys[slot] == k {
		delete(p.keys, slot)
	}
	close(k.done)
}

func (p *Provider) missing() (int, bool) {
	status, ok := first(p.Contract.Missing)
	if !ok {
		status = http.StatusBadRequest
	}
	return status, ok || slices.Contains(p.Contract.Missing.Values, "reject")
}

// stores tells whether an answer is kept; by default each is.
func (p *Provider) stores(status int) bool {
	values := p.Contract.Stored.Values
	class := strconv.Itoa(status/100) + "xx"
	return len(values) == 0 || slices.Contains(values, "all") || slices.Contains(values, class)
}

func (p *Provider) fingerprint(body []byte) string {
	switch {
	case slices.Contains(p.Contract.Fingerprint.Values, "key"):
		return ""
	case slices.Contains(p.Contract.Fingerprint.Values, "raw"):
	default:
		body, _ = history.Canonical(body) // what is not JSON stands for itself
	}
	sum := sha256.Sum256(body)
	return string(sum[:])
}

// first is the first status among the values of a field.
func first(f contract.Field) (int, bool) {
	for _, v := range f.Values {
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return n, true
		}
	}
	return 0, false
}
