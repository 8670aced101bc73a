package doctor

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
)

// seen is what each observer showed of the first delivery, and of the repeat.
func (x *examination) seen(r *Operation, o scenarios.Operation, ops []history.Operation) {
	learned := x.learned[o.Name]
	for _, obs := range x.sys.Observers {
		if len(obs.Of) > 0 && !slices.Contains(obs.Of, o.Name) {
			continue
		}
		s := Observer{Name: obs.Name, By: obs.By, Want: max(1, obs.Expect), Effects: learned.Effects[obs.Name], Problem: learned.Blind[obs.Name]}
		s.Subject = ops[0].ID
		if s.By == "key" {
			s.Subject = ops[0].Attempts[0].Begin.Key
		}
		s.Millis = late(ops[0], obs.Name)
		s.After = most(ops[len(ops)-1], obs.Name)
		if s.Problem != "" {
			x.problem("%s can not be relied on for %s: %s%s", s.Name, o.Name, s.Problem, x.hint(obs, s))
		}
		r.Observers = append(r.Observers, s)
	}
}

// late is how long after the answer an effect was seen; 0 if it was there before.
func late(op history.Operation, observer string) int64 {
	end := op.Attempts[0].End
	for _, e := range op.Effects {
		if e.Name == observer && e.Count > 0 && end != nil {
			return max(0, ms(e.At-end.At))
		}
	}
	return 0
}

// most is the highest count that an observer showed.
func most(op history.Operation, observer string) (n int) {
	for _, e := range op.Effects {
		if e.Name == observer {
			n = max(n, e.Count)
		}
	}
	return n
}

// hint says what usually is wrong with an observer of its kind.
func (x *examination) hint(o scenarios.Observer, s Observer) string {
	if s.Effects > s.Want {
		return fmt.Sprintf(". If one operation has %d effects here, say  expect: %d", s.Effects, s.Effects)
	}
	if p := x.sys.Providers[o.Name]; p != nil {
		if n := p.Strays(); n > 0 {
			return fmt.Sprintf(". It got %s without an operation's id at %s: correct  id:  or make the service pass the id on", count(n, "call"), p.ID)
		}
		return fmt.Sprintf(". It got no call: does the service call %s, and in this operation?", p.URL())
	}
	switch o.Kind {
	case "sql":
		return fmt.Sprintf(". Does the query find rows for the %s %s, in the database that the service writes to?", s.By, s.Subject)
	case "http":
		return fmt.Sprintf(". Does the request find the %s %s, and does  count:  point at the number or the list?", s.By, s.Subject)
	}
	return ""
}

// repeated is what the repeat did.
func (x *examination) repeated(r *Operation, o scenarios.Operation, op history.Operation) {
	if len(op.Attempts) < 2 || op.Attempts[1].End == nil {
		return
	}
	r.Repeat = op.Attempts[1].End.Status
	for _, s := range r.Observers {
		if s.Problem == "" && s.After > s.Want {
			what := "the id alone should have stopped it"
			if o.Carrier != "" {
				what = "either that is the bug to find, or its key does not travel in " + o.Carrier + ": see  key:"
			}
			x.problem("the same %s sent again made a second effect at %s (%d): %s", o.Name, s.Name, s.After, what)
		}
	}
}

// providers are those that were called in a way that can not be told apart.
func (x *examination) providers() {
	for _, o := range x.sys.Observers {
		if p := x.sys.Providers[o.Name]; p != nil {
			if n := p.Strays(); n > 0 && !x.blamed(o.Name) {
				x.problem("%s got %s without an operation's id at %s: effects there are not counted", o.Name, count(n, "call"), p.ID)
			}
		}
	}
}

// blamed tells whether an observer has a problem already.
func (x *examination) blamed(name string) bool {
	return slices.ContainsFunc(x.Operations, func(o Operation) bool {
		return slices.ContainsFunc(o.Observers, func(s Observer) bool { return s.Name == name && s.Problem != "" })
	})
}
