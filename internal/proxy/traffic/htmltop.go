package traffic

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/internal/look"
)

// top fills the first screen: the verdict, one sentence, the numbers, the state.
func (r Report) top(v *view) {
	n := map[Verdict]int64{}
	for _, route := range r.Routes {
		if route.Name != "others" {
			n[route.Verdict]++
		}
	}
	v.Class, v.Sign, v.Word = r.Verdict.class(), signs[r.Verdict], string(r.Verdict)
	v.Heading, v.Sentence = r.headline(n)
	v.Title = look.Clean(strings.ToUpper(string(r.Verdict)) + " · idemcheck proxy " + r.Run)
	for _, t := range []Verdict{Certain, Likely, Unknown, Held} {
		link := ""
		if n[t] > 0 {
			link = "#routes"
		}
		if n[t] > 0 || t != Unknown {
			v.Tiles = append(v.Tiles, tile{t.class(), signs[t], string(t), number3(n[t]), link})
		}
	}
	v.Tiles = append(v.Tiles, tile{"plain", "→", "requests", number3(r.Requests), ""}, tile{"plain", "⚑", "sent twice", number3(r.Repeats), ""})
	callers := ""
	if len(r.Callers.Findings) > 0 {
		callers = "#callers"
	}
	v.Tiles = append(v.Tiles, tile{"plain", "↻", "retries of callers", number3(r.Callers.Retries), callers})
	r.facts(v)
}

func (r Report) facts(v *view) {
	s := r.State
	state := "ended"
	switch {
	case s.Running && s.On:
		state = "on"
	case s.Running:
		state = "off"
	}
	for _, f := range []fact{
		{"Service", r.Target}, {"Listens at", r.Listen}, {"Striking", state}, {"For", span(r.Seconds)},
		{"Duplicates in the last minute", fmt.Sprintf("%s of %s", number3(int64(s.Used)), number3(int64(s.Budget)))},
		{"Started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC")}, {"Run", r.Run}, {"Seed", fmt.Sprint(r.Seed)}, {"Tool", r.Tool},
	} {
		if f.Value != "" && (f.Name != "Duplicates in the last minute" || s.Budget > 0) {
			v.Facts = append(v.Facts, fact{f.Name, look.Clean(f.Value)})
		}
	}
	for _, w := range append(r.state(), r.Notes...) {
		w = look.Clean(w)
		v.Warnings = append(v.Warnings, strings.ToUpper(w[:min(1, len(w))])+w[min(1, len(w)):])
	}
	for _, rule := range s.Rules {
		v.Rules = append(v.Rules, look.Clean(rule))
	}
	v.Footer = "Made by idemcheck from the traffic since the start; traffic.json has it for machines, idemcheck report shows it again."
}

// headline is the verdict in words, and what matters most about it.
func (r Report) headline(n map[Verdict]int64) (heading, sentence string) {
	first := ""
	if len(r.Routes) > 0 && len(r.Routes[0].Findings) > 0 {
		first = r.Routes[0].Name + ": " + r.Routes[0].Findings[0].Words
	}
	switch r.Verdict {
	case Certain:
		return bears(n[Certain]), look.Clean(first)
	case Likely:
		return plural(n[Likely], "route") + " likely " + bear(n[Likely]) + " no repeats", look.Clean(first)
	case Unknown:
		return "Nothing is sure yet", fmt.Sprintf("%s repeated, and no answer accuses the service. That is no pass: effects were not counted, or answers differ in ways that say nothing.", plural(n[Unknown], "route")+" "+wasWere(n[Unknown]))
	case Held:
		return plural(n[Held], "route") + " held", "Effects were counted, of each repeat as many as of a request sent once, and nothing in the answers speaks against it."
	}
	if r.Requests == 0 {
		return "Waiting for traffic", r.empty()
	}
	return "Nothing was tried yet", r.empty()
}

func bears(n int64) string { return plural(n, "route") + " " + bear(n) + " no repeats" }

func bear(n int64) string {
	if n == 1 {
		return "bears"
	}
	return "bear"
}

// people fills what callers do.
func (r Report) people(v *view) {
	c := r.Callers
	if c.Keyed+c.Keyless+c.Never == 0 {
		return
	}
	v.Callers = []string{plural(c.Keyed, "request") + " with a key", number3(c.Keyless) + " without, where others have one", number3(c.Never) + " on routes that never have one", plural(c.Retries, "retry") + " by themselves"}
	v.Callers[3] = strings.Replace(v.Callers[3], "retrys", "retries", 1)
	for _, h := range c.Findings {
		h.Route, h.Words, h.Example = look.Clean(h.Route), look.Clean(h.Words), look.Clean(h.Example)
		v.Habits = append(v.Habits, h)
	}
}
