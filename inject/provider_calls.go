package inject

import (
	"slices"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
)

// enter notes that a call has begun.
func (p *Provider) enter(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string][]*call{}
	}
	all := append(p.calls[c.id], c)
	p.calls[c.id] = all
	for _, other := range all {
		other.atOnce = max(other.atOnce, len(all))
	}
}

// leave notes that a call is over, before it is answered, and records if another
// one of the operation was in flight with it. A caller that has left holds nothing
// any more; whether it has is asked at the end, since at the beginning of the
// other call the news of it may still be on its way.
func (p *Provider) leave(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := slices.DeleteFunc(p.calls[c.id], func(o *call) bool { return o == c })
	if p.calls[c.id] = rest; len(rest) == 0 {
		delete(p.calls, c.id)
	}
	others := slices.ContainsFunc(rest, func(o *call) bool { return o.gone.Err() == nil })
	if c.atOnce > 1 && c.gone.Err() == nil && others {
		p.record(history.Event{Kind: history.Moment, Name: p.Name, Op: c.id, Key: c.key, Actor: p.actor(),
			Attrs: map[string]string{history.AttrAtOnce: strconv.Itoa(c.atOnce)}})
	}
}

// about is what rules ask of an effect beside its count.
func (p *Provider) about(c *call) map[string]string {
	attrs := map[string]string{}
	if c.version != "" {
		attrs[history.AttrVersion] = c.version
	}
	for _, pointer := range p.Sums {
		if v := place("body "+pointer, nil, c.body); v != "" {
			attrs[history.AttrSum+pointer] = v
		}
	}
	if len(attrs) == 0 {
		return nil
	}
	return attrs
}
