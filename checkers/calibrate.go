package checkers

import (
	"fmt"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// Calibrate learns from the events of case "calibration" what one operation
// shows when nothing is wrong: by operation name. Each was sent twice with
// different ids, and the second once more.
func Calibrate(h history.History) map[string]Calibration { return newIndex(h).calibrate(&h) }

func (x *index) calibrate(h *history.History) map[string]Calibration {
	samples, needed := map[string][]*history.Operation{}, map[string][]*history.Operation{}
	for i := range x.ops {
		op := &x.ops[i]
		switch {
		case op.Case != history.CaseCalibration:
		case op.Attempts[0].Begin.Attrs[history.AttrBefore] != "":
			needed[op.Name] = append(needed[op.Name], op)
		default:
			samples[op.Name] = append(samples[op.Name], op)
		}
	}
	for name, ops := range needed { // of what is not under test itself there is nothing better
		if samples[name] == nil {
			samples[name] = ops
		}
	}
	all := map[string]Calibration{}
	for name, ops := range samples {
		all[name] = x.measure(h, name, ops)
	}
	return all
}

func (x *index) measure(h *history.History, name string, ops []*history.Operation) Calibration {
	c := Calibration{Effects: map[string]int{}, Blind: map[string]string{}}
	for _, op := range ops {
		if why := unusable(op); why != "" {
			c.Failed = why
			return c
		}
	}
	c.Handler = handler(ops)
	c.Scope = ops[0].Scope
	for _, o := range observersOf(h.Header.Observers, name) {
		for _, op := range ops {
			c.look(o, op)
		}
	}
	if len(ops) > 1 {
		a, b := ops[0], ops[1]
		c.Echo = echoes(a.Attempts[0], b.Attempts[0])
		again := history.Attempt{}
		if len(b.Attempts) > 1 {
			again = b.Attempts[1]
		}
		if again.Begin != nil {
			c.Telling, c.Volatile, c.Moving = telling(a.Attempts[0], b.Attempts[0], again)
			c.Telling = x.singular(name, c.Telling)
		}
	}
	return c
}

// unusable says why the first attempt of a sample measures nothing.
func unusable(op *history.Operation) string {
	first := op.Attempts[0]
	if first.Outcome() == history.OK {
		return ""
	}
	why := fmt.Sprintf("%s, sent without any fault, ended with %s", called(op), status(first))
	if first.End != nil && first.End.Cause != "" {
		why += ": " + first.End.Cause
	}
	return why
}

// handler is how long an attempt takes once the service is warm.
func handler(ops []*history.Operation) time.Duration {
	shortest := time.Duration(-1)
	for _, op := range ops {
		a := op.Attempts[0]
		if d := time.Duration(a.End.At - a.Begin.At); shortest < 0 || d < shortest {
			shortest = d
		}
	}
	return max(0, shortest)
}

// prompt is how late an effect may be seen that was there with the answer: one
// reading takes its time.
const prompt = 50 * time.Millisecond

// look compares what an observer showed before the repeat with what is expected.
func (c *Calibration) look(o history.Observer, op *history.Operation) {
	until, answered := forever, op.Attempts[0].End.At
	if len(op.Attempts) > 1 {
		until = op.Attempts[1].Begin.Seq
	}
	expect, last, shown, some := max(1, o.Expect), map[string]int{}, int64(0), false
	n := 0
	for _, e := range op.Effects {
		if e.Name != o.Name || e.Seq > until {
			continue
		}
		some = true
		tag := e.Scope
		if o.By == "key" {
			tag = e.Key
		}
		n += e.Count - last[tag]
		last[tag] = e.Count
		if n >= expect && shown == 0 {
			shown = e.At
		}
	}
	if _, known := c.Effects[o.Name]; !known || n != expect {
		c.Effects[o.Name] = n
	}
	switch {
	case !some && !live(&o):
		c.blind(o.Name, fmt.Sprintf("%s was never read for %s", o.Name, op.ID))
	case n != expect:
		c.blind(o.Name, fmt.Sprintf("%s showed %s for %s, %s expected", o.Name, effects(n), op.ID, were(expect)))
	default:
		if late := time.Duration(shown - answered); late > max(c.Handler, prompt) {
			c.Latency = max(c.Latency, late)
		}
	}
}

func (c *Calibration) blind(observer, why string) {
	if c.Blind[observer] == "" {
		c.Blind[observer] = why
	}
}

func effects(n int) string {
	if n == 1 {
		return "1 effect"
	}
	return fmt.Sprintf("%d effects", n)
}

func were(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

// observersOf are those that count for an operation of this name.
func observersOf(all []history.Observer, name string) (of []history.Observer) {
	for _, o := range all {
		if counts(&o, name) {
			of = append(of, o)
		}
	}
	return of
}

func counts(o *history.Observer, name string) bool {
	return len(o.Of) == 0 || slices.Contains(o.Of, name)
}
