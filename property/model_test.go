package property_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/property"
)

// entry is an operation on a till: it puts money in, or gives some of it back.
type entry struct {
	Back   bool
	Amount int
}

func (e entry) String() string {
	if e.Back {
		return fmt.Sprintf("refund %d", e.Amount)
	}
	return fmt.Sprintf("charge %d", e.Amount)
}

var entries = rapid.Custom(func(t *rapid.T) entry {
	return entry{rapid.Bool().Draw(t, "back"), rapid.IntRange(1, 3).Draw(t, "amount")}
})

// till keeps what it did by id.
type till struct {
	run     *inject.Run
	balance int
	cache   map[string]bool
	forgets bool // it does not look whether a refund was made
	early   bool // its cache is written before the balance
}

var errEmpty = errors.New("not enough money")

func (l *till) do(id string, e entry) error {
	_, err := inject.Call(l.run, id, func(context.Context) (bool, error) { return true, l.enter(id, e) })
	return err
}

func (l *till) enter(id string, e entry) error {
	amount := e.Amount
	if e.Back {
		amount = -amount
	}
	switch {
	case l.cache[id] && !(l.forgets && e.Back):
		return nil
	case l.balance+amount < 0:
		return errEmpty
	}
	l.cache[id] = l.cache[id] || l.early
	l.run.Effect(id)
	l.cache[id] = true
	l.balance += amount
	return nil
}

// tills are modelled by a number.
func tills(change func(*till), faults ...inject.Fault) property.Model[*till, int, entry] {
	return property.Model[*till, int, entry]{
		New: func(run *inject.Run) *till {
			l := &till{run: run, cache: map[string]bool{}}
			change(l)
			return l
		},
		Pre: func(balance int, e entry) bool { return !e.Back || e.Amount <= balance },
		Do:  (*till).do,
		Next: func(balance int, e entry) int {
			if e.Back {
				return balance - e.Amount
			}
			return balance + e.Amount
		},
		Check: func(l *till, balance int) error {
			if l.balance != balance {
				return fmt.Errorf("there are %d in the till, %d in the model", l.balance, balance)
			}
			return nil
		},
		Options: inject.Options{Name: "entry", Faults: faults},
	}
}

func asIs(*till)      {}
func forgets(l *till) { l.forgets = true }
func early(l *till)   { l.early = true }

func TestFollowsHolds(t *testing.T) {
	faults := []inject.Fault{inject.Repeat, inject.Late, inject.LoseAnswer, inject.LoseRequest, inject.KillBefore}
	t.Run("repeats", func(t *testing.T) { property.Follows(t, entries, tills(asIs)) })
	t.Run("faults", func(t *testing.T) { property.Follows(t, entries, tills(asIs, faults...)) })
	t.Run("faults and rules", func(t *testing.T) {
		property.Follows(t, entries, tills(asIs, faults...), checkers.AtMostOnce)
	})
	t.Run("refused", func(t *testing.T) {
		m := tills(asIs, faults...)
		m.Pre = func(balance int, e entry) bool { return balance < 9 } // refunds of more than there is are refused
		property.Follows(t, entries, m)
	})
	t.Run("inside", rapid.MakeCheck(func(t *rapid.T) { property.Follows(t, entries, tills(asIs, faults...)) }))
}

var brokenModels = laws{
	{"follows-again", func(t rapid.TB) { property.Follows(t, entries, tills(forgets)) }},
	{"follows-late", func(t rapid.TB) {
		m := tills(forgets, inject.Late)
		do := m.Do
		seen := map[*till]map[string]bool{}
		m.Do = func(l *till, id string, e entry) error { // the caller itself never repeats
			if seen[l] == nil {
				seen[l] = map[string]bool{}
			}
			if seen[l][id] {
				return nil
			}
			seen[l][id] = true
			return do(l, id, e)
		}
		property.Follows(t, entries, m)
	}},
	{"follows-cache", func(t rapid.TB) { property.Follows(t, entries, tills(early, inject.KillBefore)) }},
	{"follows-rule", func(t rapid.TB) {
		m := tills(forgets)
		m.Check = func(*till, int) error { return nil }
		property.Follows(t, entries, m, checkers.AtMostOnce)
	}},
	{"follows-refused", func(t rapid.TB) {
		m := tills(asIs)
		m.Pre = nil
		m.Do = func(*till, string, entry) error { return errEmpty }
		property.Follows(t, entries, m)
	}},
	{"follows-no-do", func(t rapid.TB) { property.Follows(t, entries, property.Model[*till, int, entry]{}) }},
}

func TestFollowsFails(t *testing.T) {
	for _, l := range brokenModels {
		t.Run(l.name, func(t *testing.T) {
			f := try("Test", l.test)
			if !f.failed {
				t.Errorf("passed: %s", f.text())
			}
			golden(t, l.name, f.text())
		})
	}
}
