package checkers

import (
	"fmt"
	"math/big"

	"github.com/idemcheck/idemcheck/history"
)

// counted: the system's own count of suppressed repeats grew by what was sent:
// at least the identical repeats that were accepted one after the other, at most
// these and all that overlapped or ended in another way.
func (u *userCase) counted() {
	before, after, ok := u.numbers("before", "after")
	if !ok {
		return
	}
	if v, _ := u.read("after"); v.null {
		u.open("The metric is not there after the run.")
		return
	}
	grew := new(big.Rat).Sub(after, before)
	least, most := u.suppressed()
	what := fmt.Sprintf("The count grew by %s; %s sent again and accepted one after the other, and %d at most can have been suppressed",
		plain(grew), repeatsWere(least), most)
	witnesses := []int64{u.last["before"].Seq, u.last["after"].Seq}
	switch {
	case most == 0:
		u.open("Nothing was sent again, so nothing could be suppressed.")
	case grew.Sign() < 0:
		u.open(fmt.Sprintf("The count fell from %s to %s: was the service restarted, or are there several of it?", plain(before), plain(after)))
	case grew.Cmp(big.NewRat(int64(least), 1)) < 0, grew.Cmp(big.NewRat(int64(most), 1)) > 0:
		u.fail(what+".", witnesses...)
	}
}

func repeatsWere(n int) string {
	if n == 1 {
		return "1 operation was"
	}
	return fmt.Sprintf("%d were", n)
}

func (u *userCase) suppressed() (least, most int) {
	ops, _ := u.mine()
	for i := range ops {
		op := &ops[i]
		c := u.judge.frame.contractOf(ops[i : i+1])
		repeats(c, op, func(r *repeat) {
			if r.like == identical && r.alone() && r.again.Outcome() == history.OK {
				least++
			}
		})
		var keys few[key]
		for _, a := range op.Attempts {
			if !keys.add(keyOf(op, a)) {
				most++
			}
		}
	}
	return least, most
}
