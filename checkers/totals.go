package checkers

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// value is what the query of a total returned: one value, as text and as a
// number. NULL, the sum of nothing, is 0 and not there.
type value struct {
	text   string
	number *big.Rat // nil: it is none
	null   bool
}

// read takes a reading apart; false: it is missing or not one value, which is
// reported.
func (u *userCase) read(when string) (v value, ok bool) {
	e := u.last[when]
	if e == nil {
		if len(u.errors) == 0 {
			u.open(fmt.Sprintf("The total was not read %s.", readWhen[when]))
		}
		return v, false
	}
	all := scalars(e.Body)
	if e.Count != 1 || len(all) != 1 {
		u.open(fmt.Sprintf("The query must return one row with one value; %s it returned %s: %s.", readWhen[when], rows(e.Count), firstRows(e.Body)))
		return v, false
	}
	v.text = all[0].value
	if v.null = !all[0].str && v.text == "null"; v.null {
		v.text = "0"
	}
	if n, ok := rational(v.text); ok {
		v.number = n
	}
	return v, true
}

var readWhen = map[string]string{"before": "before the run", "after": "after the run",
	"alive": "after ageing within the life of the keys", "aged": "after ageing past the life of the keys"}

// rational reads a number of moderate size exactly.
func rational(text string) (*big.Rat, bool) {
	if len(text) > 100 || strings.ContainsAny(text, "/eEpPxX_") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// numbers are two readings as numbers.
func (u *userCase) numbers(first, second string) (a, b *big.Rat, ok bool) {
	x, ok1 := u.read(first)
	y, ok2 := u.read(second)
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	if x.number == nil || y.number == nil {
		u.open(fmt.Sprintf("The query must return a number, and returned %q and %q.", x.text, y.text))
		return nil, nil, false
	}
	return x.number, y.number, true
}

func plain(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return strings.TrimRight(n.FloatString(9), "0")
}

// conserved: a total is the same before and after.
func (u *userCase) conserved() {
	before, ok1 := u.read("before")
	after, ok2 := u.read("after")
	if !ok1 || !ok2 {
		return
	}
	ops, _ := u.mine()
	same := before.text == after.text
	if before.number != nil && after.number != nil {
		same = before.number.Cmp(after.number) == 0
	}
	switch {
	case !same:
		u.fail(fmt.Sprintf("The total was %s before the run and is %s after it.", before.text, after.text), u.last["before"].Seq, u.last["after"].Seq)
	case before.null && after.null:
		u.open("The query returned NULL before and after the run: it adds up nothing.")
	case !slices.ContainsFunc(ops, func(op history.Operation) bool { return accepted(&op) != nil }):
		u.open("No operation was accepted, so nothing could have changed the total.")
	}
}

// agree: a total of the system grew by what an outside observer saw.
func (u *userCase) agree() {
	before, after, ok := u.numbers("before", "after")
	if !ok {
		return
	}
	own := new(big.Rat).Sub(after, before)
	outside, n, why := u.outside()
	switch {
	case why != "":
		u.open(why)
	case own.Cmp(outside) == 0 && n == 0:
		u.open(fmt.Sprintf("%s saw nothing, so there was nothing to compare.", u.rule.Outside))
	case own.Cmp(outside) == 0:
	case u.undecided() != nil:
		op := u.undecided()
		u.open(fmt.Sprintf("The total grew by %s, and %s saw %s; but the last answer to %s was %s, so its books may be under way.",
			plain(own), u.rule.Outside, plain(outside), called(op), status(op.Attempts[len(op.Attempts)-1])))
	default:
		u.fail(fmt.Sprintf("The total grew by %s, and %s saw %s in the same time.", plain(own), u.rule.Outside, plain(outside)),
			u.last["before"].Seq, u.last["after"].Seq)
	}
}

// outside adds up the effects between the two readings.
func (u *userCase) outside() (sum *big.Rat, n int, why string) {
	sum = new(big.Rat)
	for i := range u.judge.h.Events {
		e := &u.judge.h.Events[i]
		if e.Kind != history.Effect || e.Name != u.rule.Outside || e.Seq < u.last["before"].Seq || e.Seq > u.last["after"].Seq {
			continue
		}
		add := big.NewRat(1, 1)
		if u.rule.Sum != "" {
			v := e.Attrs[history.AttrSum+u.rule.Sum]
			r, ok := rational(v)
			if !ok {
				return nil, 0, fmt.Sprintf("A call of %s at %s has no number at %s, but %q.", e.Op, u.rule.Outside, u.rule.Sum, v)
			}
			add = r
		}
		sum.Add(sum, add)
		n++
	}
	return sum, n, ""
}

// undecided is an operation without its last word.
func (u *userCase) undecided() *history.Operation {
	ops, _ := u.mine()
	for i := range ops {
		if last := ops[i].Attempts[len(ops[i].Attempts)-1]; last.Outcome() != history.OK && !final(&ops[i]) {
			return &ops[i]
		}
	}
	return nil
}
