package checkers

import (
	"fmt"
	"maps"

	"github.com/idemcheck/idemcheck/history"
)

// Posting is a command of a Ledger: money moves, or somebody looks at an account.
type Posting struct {
	From, To  string // the accounts between which money moves; "" is the outside world
	Amount    int64  // in the smallest unit, not below 0
	Overdraft bool   // From may go below zero

	Look    string // the account that was looked at; nothing moves then
	Balance int64  // what was shown
}

// String is the command as failure texts show it.
func (p Posting) String() string {
	switch {
	case p.Look != "":
		return fmt.Sprintf("look at %s: %d", p.Look, p.Balance)
	case p.From == "":
		return fmt.Sprintf("%d to %s", p.Amount, p.To)
	case p.To == "":
		return fmt.Sprintf("%d from %s", p.Amount, p.From)
	}
	return fmt.Sprintf("%d from %s to %s", p.Amount, p.From, p.To)
}

// Ledger holds the balances of accounts, 0 at first (or what Init says). A posting
// takes effect once, however often it is delivered; none that is answered ok
// takes an account below zero, unless it says so; a look shows what all postings
// before it make. Accounts between which money moves are one object.
var Ledger Machine[map[string]int64, Posting] = ledgerMachine()

func ledgerMachine() Machine[map[string]int64, Posting] {
	return Machine[map[string]int64, Posting]{
		Name: "ledger",
		Step: func(s map[string]int64, p Posting, end history.Kind) (map[string]int64, bool) {
			switch {
			case end == history.Refused:
				return s, true
			case p.Look != "":
				return s, s[p.Look] == p.Balance
			case p.From != "" && !p.Overdraft && s[p.From] < p.Amount:
				return s, false
			}
			next := maps.Clone(s)
			if next == nil {
				next = map[string]int64{}
			}
			post(next, p.From, -p.Amount)
			post(next, p.To, p.Amount)
			return next, true
		},
		Role: func(p Posting) Role {
			if p.Look != "" {
				return Look
			}
			return Once
		},
		Equal:  func(a, b map[string]int64) bool { return maps.Equal(a, b) },
		bounds: ledgerBounds,
	}
}

// post keeps no zeros, so that equal balances are equal maps.
func post(s map[string]int64, account string, amount int64) {
	if account == "" {
		return
	}
	if s[account] += amount; s[account] == 0 {
		delete(s, account)
	}
}
