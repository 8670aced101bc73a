package checkers

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// bounded: the number of deduplication records grows in the run, keeps the
// records of living keys, and goes back when all keys are past their life.
func (u *userCase) bounded() {
	before, after, ok := u.numbers("before", "after")
	if !ok {
		return
	}
	if after.Cmp(before) <= 0 {
		u.open(fmt.Sprintf("The number did not grow in the run (%s before, %s after): does it count deduplication records?", plain(before), plain(after)))
		return
	}
	if u.last["alive"] != nil {
		u.alive(before, after)
	}
	aged, ok := u.read("aged")
	switch {
	case !ok:
	case aged.number == nil:
		u.open(fmt.Sprintf("The query must return a number, and returned %q.", aged.text))
	case aged.number.Cmp(before) <= 0:
	case u.rule.Within:
		u.fail(fmt.Sprintf("There were %s records before the run, %s after it, and still %s after all keys were aged past their life and the time stated.",
			plain(before), plain(after), plain(aged.number)), u.last["after"].Seq, u.last["aged"].Seq)
	default:
		u.open(fmt.Sprintf("There were still %s records (%s before the run) after all keys were aged past their life. Say  within: how long a record may stay after that, to have it judged.",
			plain(aged.number), plain(before)))
	}
}

// alive: no record of an accepted key is taken before the end of its life.
// Others may go: a failure need not be kept, and a claim ends before the life.
func (u *userCase) alive(before, after *big.Rat) {
	v, ok := u.read("alive")
	if !ok || v.number == nil {
		return
	}
	keys := big.NewRat(int64(u.acceptedKeys()), 1)
	least := new(big.Rat).Add(before, keys)
	if after.Cmp(least) < 0 {
		least = after
	}
	if v.number.Cmp(least) < 0 {
		u.fail(fmt.Sprintf("The sweep took records of keys that were alive: %s were there after the run, and %s after ageing within their life; %s keys of this age had been accepted.",
			plain(after), plain(v.number), plain(keys)), u.last["after"].Seq, u.last["alive"].Seq)
	}
}

func (u *userCase) acceptedKeys() int {
	ops, _ := u.mine()
	keys := map[[2]string]bool{}
	for i := range ops {
		if slices.ContainsFunc(ops[i].Marks, func(m *history.Event) bool { return m.Name == history.MarkAged }) {
			continue // made older by its case, and then once more, its key may be past its life
		}
		for _, a := range ops[i].Attempts {
			if a.Outcome() == history.OK && a.Begin.Key != "" {
				keys[[2]string{a.Begin.Key, a.Begin.Scope}] = true
			}
		}
	}
	return len(keys)
}
