package proxy

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// settle is called when all answers of a strike are in.
func (p *Proxy) settle(s *strike) {
	header, body, cut := s.form.parts(s, keptBody)
	s.close()
	if s.second != nil && s.second.Err == notSent {
		s.second = nil
	}
	s.sentHeader, s.sentBody, s.sentCut = header, body, cut
	s.named = s.id()
	if n := p.struckSoFar.Add(1); s.named == "" {
		s.named = fmt.Sprintf("%s-s%d", p.opt.Run, n)
	}
	p.totals.settled(s)
	if s.first != nil && s.second != nil {
		p.learner.Repeat(traffic.Repeat{
			Method: s.method, Target: s.target, Fault: s.fault.String(), Key: s.key, Op: s.id(),
			Header: header, Body: body, BodyCut: cut, First: *s.first, Second: *s.second,
			Overlapped: s.overlapped(), OtherKey: s.fault.Name == inject.DropKey.Name, Reencoded: s.fault.Name == inject.Reencode.Name, At: s.begin, Recorded: p.recorded(s),
		})
	}
	if sub := s.subject; sub != nil {
		sub.accepted = s.first != nil && s.first.Class() == contract.OK || s.second != nil && s.second.Class() == contract.OK
		p.effects.watch(sub)
		return
	}
	p.record(s, nil)
}

// written is called when the effects of a subject were read, or could not be.
func (p *Proxy) written(sub *subject, read bool) {
	switch {
	case sub.strike == nil:
	case read:
		p.record(sub.strike, sub)
	default:
		p.record(sub.strike, nil)
	}
}

// id is that of the operation, if the file says how to find it.
func (s *strike) id() string {
	if s.subject == nil {
		return ""
	}
	return s.subject.id
}

// recorded is the operation under which the history has a strike, "" if there is none.
func (p *Proxy) recorded(s *strike) string {
	if p.records == nil {
		return ""
	}
	return s.named
}

// record writes a strike into the history; effects are those of sub, nil if
// nobody counted.
func (p *Proxy) record(s *strike, sub *subject) {
	if p.records == nil {
		return
	}
	op := s.named
	try := int(p.tries.next(hash(4, []byte(op))))
	events := s.attempt(p, op, 2*try-1)
	events = append(events, noted{event: s.fired(p, op)})
	if s.second != nil {
		events = append(events, s.again(p, op, 2*try)...)
	}
	c := p.caseOf(s, sub)
	if c.rules != "" {
		for _, o := range slices.Sorted(maps.Keys(sub.now)) {
			events = append(events, noted{event: history.Event{Kind: history.Effect, At: p.at(time.Now()), Name: o, Op: op, Key: keyOf(p, o, sub), Actor: "idemcheck", Count: sub.now[o] - sub.before[o]}})
		}
		events = append(events, noted{event: history.Event{Kind: history.Mark, Name: history.MarkSettled, Op: op, Attrs: map[string]string{"stable": "true"}}})
	}
	p.records.add(c, events)
}

// caseOf is the case under which a strike is recorded. It is judged where one
// effect came of the two deliveries. One history alone cannot accuse: a service may
// make more effects of one request than of another, and late ones.
func (p *Proxy) caseOf(s *strike, sub *subject) recordCase {
	why := ""
	switch {
	case s.another():
		return recordCase{name: "proxy-keyless/" + s.route, skipped: "a copy without the key, or in other bytes and without one, may rightly be another request"}
	case len(p.opt.System.Observers) == 0:
		return recordCase{name: "proxy-uncounted/" + s.route, skipped: "no observer counts effects; the report has what the answers say" + p.toldBy()}
	case sub == nil:
		why = "no observer counted the effects of some operations, or none could be asked"
	case sub.early:
		why = "the proxy ended before the effects of some operations had time to show"
	case sub.sent() > 1:
		why = "callers sent some operations more than once by themselves, so that their effects do not tell what the copy did"
	case sub.accepted && !sub.shown():
		why = "some accepted operations showed no effect, or fewer than before"
	case doubled(sub, sub.now):
		why = "some operations had more effects than one: whether copies made them shows only beside requests that were sent once"
	default:
		return recordCase{name: "proxy/" + s.route, rules: "at-most-once,no-lost-effect,refused-no-effect"}
	}
	return recordCase{name: "proxy-uncounted/" + s.route, open: why + "; the report has what the proxy learned of them" + p.toldBy()}
}

// toldBy is the command that shows what a run has learned.
func (p *Proxy) toldBy() string { return " (idemcheck report " + cmp.Or(p.opt.Dir, p.opt.Run) + ")" }

// another tells whether the copy may rightly be taken for another request.
func (s *strike) another() bool {
	return s.fault.Name == inject.DropKey.Name || s.fault.Name == inject.Reencode.Name && s.key == ""
}

// shown tells whether each observer showed an effect.
func (sub *subject) shown() bool {
	for name, n := range sub.now {
		if n-sub.before[name] < 1 {
			return false
		}
	}
	return true
}

// keyOf is the key that an observer reports, "" for one that reports ids.
func keyOf(p *Proxy, observer string, sub *subject) string {
	for _, o := range p.opt.System.Observers {
		if o.Name == observer && o.By == "key" {
			return sub.key
		}
	}
	return ""
}

// at is a time as histories have it.
func (p *Proxy) at(t time.Time) int64 { return max(int64(t.Sub(p.begin)), 1) }

func (s *strike) name() string {
	if s.subject != nil && s.subject.name != "" {
		return s.subject.name
	}
	return s.route
}

// attempt are the events of the original.
func (s *strike) attempt(p *Proxy, op string, number int) []noted {
	begin := history.Event{
		Kind: history.Invoke, At: p.at(s.begin), Op: op, Name: s.name(), Key: s.key, Attempt: number, Actor: "client",
		Attrs: map[string]string{history.AttrRequest: s.method + " " + s.target},
	}
	if s.key == "" {
		begin.Attrs[history.AttrKeyless] = "none"
	}
	if s.sentCut {
		begin.Attrs[history.AttrCut] = "true"
	}
	if s.first == nil {
		return []noted{{begin, s.sentBody}}
	}
	end, body := ended(*s.first), s.first.Body
	end.At, end.Op, end.Name, end.Attempt, end.Actor = p.at(s.begin.Add(s.first.Took)), op, s.name(), number, "client"
	if hides(s.fault) {
		end.Hidden, body = end.Status+" "+string(body[:min(len(body), 1<<10)]), nil
		end.Kind, end.Status, end.Cause = history.Unknown, "reset", "the proxy kept the answer from the caller"
		if s.fault.Name == inject.ReplaceAnswer.Name {
			end.Status = strconv.Itoa(replacedBy(s.fault))
		}
	}
	return []noted{{begin, s.sentBody}, {end, body}}
}

func (s *strike) fired(p *Proxy, op string) history.Event {
	e := history.Event{Kind: history.Fault, At: p.at(s.begin), Op: op, Name: s.fault.Name, Actor: "idemcheck", Attempt: 0}
	if s.fault.Arg != "" {
		e.Attrs = map[string]string{history.AttrArg: s.fault.Arg}
	}
	if s.noCopy != "" {
		e.Cause = s.noCopy
	}
	return e
}

// again are the events of the copy, or of the caller's own retry.
func (s *strike) again(p *Proxy, op string, number int) []noted {
	actor := "idemcheck"
	if hides(s.fault) {
		actor = "client"
	}
	key := s.key
	begin := history.Event{
		Kind: history.Invoke, At: p.at(s.copied), Op: op, Name: s.name(), Attempt: number, Actor: actor,
		Attrs: map[string]string{history.AttrRequest: s.method + " " + s.target, history.AttrFault: s.fault.Name},
	}
	switch {
	case s.fault.Name == inject.DropKey.Name:
		key, begin.Attrs[history.AttrKeyless] = "", "dropped"
	case key == "":
		begin.Attrs[history.AttrKeyless] = "none"
	}
	begin.Key = key
	end := ended(*s.second)
	end.At, end.Op, end.Name, end.Attempt, end.Actor = p.at(s.copied.Add(s.second.Took)), op, s.name(), number, actor
	return []noted{{begin, s.sentBody}, {end, s.second.Body}}
}

// ended is how an answer ends an attempt.
func ended(a traffic.Answer) history.Event {
	e := history.Event{Kind: history.Kind(a.Class()), Status: strconv.Itoa(a.Status), Attrs: headerAttrs(a.Header)}
	if a.Err != "" {
		e.Kind, e.Status, e.Cause = history.Unknown, a.Err, a.Err
	}
	if a.Cut {
		e.Attrs[history.AttrCut] = "true"
	}
	return e
}

func headerAttrs(h http.Header) map[string]string {
	m := map[string]string{}
	for name, values := range h {
		if len(values) > 0 {
			m[history.AttrHeader+lower(name)] = values[0]
		}
	}
	return m
}
