package checkers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// book writes a history by hand.
type book struct {
	h     history.History
	in    string
	tries map[string]int
}

func newBook(os ...history.Observer) *book {
	return &book{h: history.History{Header: history.Header{Version: 1, Run: "r", Observers: os}}, in: "plain/charge", tries: map[string]int{}}
}

var rows1 = history.Observer{Name: "charge-row", Kind: "sql", By: "id"}
var card = history.Observer{Name: "card-charge", Kind: "provider", By: "id", Say: "Order ${id} was charged"}
var byKey1 = history.Observer{Name: "key-row", Kind: "sql", By: "key"}

func (b *book) add(e history.Event) *history.Event {
	e.Seq = int64(len(b.h.Events) + 1)
	if e.At == 0 {
		e.At = e.Seq * int64(time.Millisecond)
	}
	if e.Case == "" {
		e.Case = b.in
	}
	if e.Attrs == nil {
		e.Attrs = map[string]string{}
	}
	b.h.Events = append(b.h.Events, e)
	return &b.h.Events[len(b.h.Events)-1]
}

// begin opens an attempt and returns its number. what: key=K body=B raw=R
// scope=S variant=V name=N fault=F keyless=none together=T.
func (b *book) begin(id string, what ...string) history.Event {
	e := history.Event{Kind: history.Invoke, Op: id, Name: "charge", Key: "k-" + id, Actor: "client",
		Body: `{"order":"` + id + `","amount":5}`, Attrs: map[string]string{history.AttrRequest: "POST /charges"}}
	for _, w := range what {
		name, v, _ := strings.Cut(w, "=")
		switch name {
		case "key":
			e.Key = v
		case "body":
			e.Body = v
		case "scope":
			e.Scope = v
		case "name":
			e.Name = v
		case "raw":
			e.Attrs[history.AttrRaw] = v
		case "payload":
			e.Payload = v
		case "at":
			d, err := time.ParseDuration(v)
			if err != nil {
				panic(err)
			}
			e.At = int64(d)
		default:
			e.Attrs[name] = v
		}
	}
	if e.Payload == "" {
		e.Payload = e.Body
	}
	if e.Attrs[history.AttrRaw] == "" {
		e.Attrs[history.AttrRaw] = e.Body
	}
	who := e.Op + "/" + e.Scope
	b.tries[who]++
	e.Attempt = b.tries[who]
	return *b.add(e)
}

// end closes an attempt. what: answer body, header.x=y, at=...
func (b *book) end(begin history.Event, status string, what ...string) {
	class, err := contract.Contract{}.Classify(status)
	if err != nil {
		panic(err)
	}
	e := history.Event{Kind: history.Kind(class), Op: begin.Op, Scope: begin.Scope, Name: begin.Name, Case: begin.Case, Key: begin.Key,
		Attempt: begin.Attempt, Status: status, Attrs: map[string]string{}}
	for _, w := range what {
		name, v, ok := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "{") || !ok:
			e.Body, e.Answer = w, w
			e.Attrs[history.AttrRaw] = w
		case name == "at":
			d, err := time.ParseDuration(v)
			if err != nil {
				panic(err)
			}
			e.At = int64(d)
		default:
			e.Attrs[name] = v
		}
	}
	b.add(e)
}

// try is an attempt with its end. Words that start with "{" are the answer.
func (b *book) try(id, status string, what ...string) {
	var ask, got []string
	for _, w := range what {
		if strings.HasPrefix(w, "{") || strings.HasPrefix(w, "header.") {
			got = append(got, w)
		} else {
			ask = append(ask, w)
		}
	}
	b.end(b.begin(id, ask...), status, got...)
}

func (b *book) effect(o history.Observer, id string, n int) {
	e := history.Event{Kind: history.Effect, Name: o.Name, Op: id, Count: n, Actor: "idemcheck"}
	if o.By == "key" {
		e.Op, e.Key = "", id
	}
	b.add(e)
}

func (b *book) mark(name, op string, attrs ...string) {
	e := history.Event{Kind: history.Mark, Name: name, Op: op, Actor: "idemcheck", Attrs: map[string]string{}}
	for _, a := range attrs {
		k, v, _ := strings.Cut(a, "=")
		if k == "cause" {
			e.Cause = v
		} else {
			e.Attrs[k] = v
		}
	}
	b.add(e)
}

// open begins a case.
func (b *book) open(name string, rules ...string) {
	b.in = name
	scenario, op, _ := strings.Cut(name, "/")
	b.mark(history.MarkCase, "", "scenario="+scenario, "operation="+op, "rules="+strings.Join(rules, ","))
}

// calibrate is what a sound service shows.
func (b *book) calibrate(name string) {
	in := b.in
	b.in = history.CaseCalibration
	for i, id := range []string{"c-1-" + name, "c-2-" + name} {
		answer := fmt.Sprintf(`{"id":"ch_c%d%s","status":"paid"}`, i, name)
		b.try(id, "201", answer, "name="+name)
		b.seen(id, 1)
		if i == 1 {
			b.try(id, "201", answer, "name="+name)
		}
	}
	b.in = in
}

// seen is a reading of every observer.
func (b *book) seen(id string, n int) {
	for _, o := range b.h.Header.Observers {
		if o.By == "key" {
			b.effect(o, "k-"+id, n)
		} else {
			b.effect(o, id, n)
		}
	}
}

func (b *book) done() history.History {
	b.mark(history.MarkEnd, "")
	return b.h
}

// stated makes a contract of "axis=value,value".
func stated(t testing.TB, fields ...string) contract.Contract {
	t.Helper()
	c := contract.Contract{Name: "test"}
	for _, f := range fields {
		axis, values, _ := strings.Cut(f, "=")
		if err := c.Set(axis, strings.Split(values, ",")...); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// findings are the violations as text, "fail at-most-once r-1: ...".
func findings(r Report) string {
	var b strings.Builder
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			fmt.Fprintf(&b, "%s %s %s: %s\n", v.Verdict, v.Rule, v.Op, v.Reason)
		}
		for _, n := range c.Notes {
			fmt.Fprintf(&b, "note: %s\n", n)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	return b.String()
}

func itoa(n int) string { return fmt.Sprint(n) }
