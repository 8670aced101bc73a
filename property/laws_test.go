package property_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/property"
)

var (
	words  = rapid.StringOf(rapid.SampledFrom([]rune("aA -")))
	digits = rapid.SliceOf(rapid.IntRange(0, 3))
)

// halfSlug shortens pairs of dashes once.
func halfSlug(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(s, " ", "-")), "--", "-")
}

func slug(s string) string {
	for t := halfSlug(s); ; s, t = t, halfSlug(t) {
		if s == t {
			return s
		}
	}
}

// account is a system with a mistake that a test chooses.
type account struct {
	balance int
	seen    map[string]bool
	forget  bool
}

type payment struct {
	ID     string
	Amount int
}

func (p payment) String() string { return fmt.Sprintf("%s(%d)", p.ID, p.Amount) }

var payments = rapid.Custom(func(t *rapid.T) payment {
	return payment{fmt.Sprintf("pay-%d", rapid.IntRange(1, 3).Draw(t, "id")), rapid.IntRange(1, 3).Draw(t, "amount")}
})

func (a *account) pay(p payment) error {
	if p.Amount > 2 {
		return errors.New("too much")
	}
	if a.seen[p.ID] && !a.forget {
		return nil
	}
	a.seen[p.ID] = true
	a.balance += p.Amount
	return nil
}

func accounts(forget bool) property.Machine[*account, payment] {
	return property.Machine[*account, payment]{
		New:   func() *account { return &account{seen: map[string]bool{}, forget: forget} },
		Apply: (*account).pay,
	}
}

// set is one assignment to a register, with the version that its writer gave it.
type set struct{ Value, Version int }

func (s set) String() string { return fmt.Sprintf("set %d v%d", s.Value, s.Version) }

var sets = rapid.Custom(func(t *rapid.T) set {
	n := rapid.IntRange(1, 3).Draw(t, "version")
	return set{10 * n, n}
})

func lastWriter(_, op set) set { return op }

func newest(s, op set) set {
	if op.Version < s.Version {
		return s
	}
	return op
}

func lastWins() property.Machine[set, set]   { return property.Machine[set, set]{Fold: lastWriter} }
func newestWins() property.Machine[set, set] { return property.Machine[set, set]{Fold: newest} }

func union(a, b []int) []int {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

type tags struct{ all map[string]bool }

func (s tags) add(name string) tags { s.all[name] = true; return s }

var tagged = rapid.Custom(func(t *rapid.T) tags {
	return tags{rapid.MapOf(rapid.SampledFrom([]string{"a", "b"}), rapid.Just(true)).Draw(t, "tags")}
})

type laws []struct {
	name string
	test func(t rapid.TB)
}

// sound are laws that hold.
var sound = laws{
	{"a slug", func(t rapid.TB) { property.Idempotent(t, words, slug) }},
	{"in place", func(t rapid.TB) { property.Idempotent(t, digits, func(s []int) []int { sort.Ints(s); return s }) }},
	{"not a number", func(t rapid.TB) {
		property.Idempotent(t, rapid.Float64(), func(x float64) float64 { return math.Sqrt(-1 - x*x) })
	}},
	{"the caller's options", func(t rapid.TB) {
		property.Idempotent(t, digits, func(s []int) []int {
			if s == nil || len(s) > 0 {
				return []int{}
			}
			return nil
		}, cmpopts.EquateEmpty())
	}},
	{"union commutes", func(t rapid.TB) { property.Commutes(t, digits, union) }},
	{"union associates", func(t rapid.TB) { property.Associates(t, digits, union) }},
	{"merge in place", func(t rapid.TB) {
		property.Commutes(t, rapid.MapOf(words, words), func(a, b map[string]string) map[string]string {
			for k, v := range b {
				a[k] = max(a[k], v)
			}
			return a
		})
	}},
	{"paid once", func(t rapid.TB) {
		property.Repeats(t, payments, accounts(false))
	}},
	{"paid in any order", func(t rapid.TB) {
		m := accounts(false)
		m.Number = func(p payment, n int) payment { p.ID = fmt.Sprintf("pay-%d", n); return p }
		property.Reorders(t, payments, m)
	}},
	{"newest wins", func(t rapid.TB) { property.Repeats(t, sets, newestWins()) }},
	{"newest wins in any order", func(t rapid.TB) { property.Reorders(t, sets, newestWins()) }},
	{"newest never steps back", func(t rapid.TB) {
		property.Monotone(t, sets, newestWins(), func(s set) int { return s.Version }, func(a, b int) bool { return a <= b })
	}},
	{"last wins in a log", func(t rapid.TB) {
		m := lastWins()
		m.Ordered = true
		property.Repeats(t, sets, m)
	}},
	{"a map is made", func(t rapid.TB) {
		property.Repeats(t, sets, property.Machine[map[int]int, set]{Apply: func(m map[int]int, s set) error {
			m[s.Version] = s.Value
			return nil
		}})
	}},
}

func TestLawsHold(t *testing.T) {
	for _, l := range sound {
		t.Run(l.name, func(t *testing.T) { l.test(t) })
		t.Run(l.name+" inside", rapid.MakeCheck(func(t *rapid.T) { l.test(t) }))
	}
}

// broken are laws that do not hold; the texts stand in testdata.
var broken = laws{
	{"idempotent", func(t rapid.TB) { property.Idempotent(t, words, halfSlug) }},
	{"idempotent-value", func(t rapid.TB) {
		property.Idempotent(t, digits, func(s []int) []int { return append([]int{len(s)}, s...) })
	}},
	{"idempotent-in-place", func(t rapid.TB) {
		property.Idempotent(t, digits, func(s []int) []int {
			for i := range s {
				s[i]++
			}
			return s
		})
	}},
	{"idempotent-hidden", func(t rapid.TB) {
		property.Idempotent(t, tagged, func(s tags) tags { return s.add(fmt.Sprint(len(s.all))) })
	}},
	{"commutes", func(t rapid.TB) {
		property.Commutes(t, words, func(a, b string) string { return a + b })
	}},
	{"associates", func(t rapid.TB) {
		property.Associates(t, rapid.IntRange(-3, 3), func(a, b int) int { return a - b })
	}},
	{"repeats", func(t rapid.TB) { property.Repeats(t, payments, accounts(true)) }},
	{"repeats-late", func(t rapid.TB) { property.Repeats(t, sets, lastWins()) }},
	{"repeats-ordered", func(t rapid.TB) {
		m := accounts(true)
		m.Ordered = true
		property.Repeats(t, payments, m)
	}},
	{"repeats-refused", func(t rapid.TB) {
		m := accounts(false)
		m.Apply = func(*account, payment) error { return errors.New("closed") }
		property.Repeats(t, payments, m)
	}},
	{"repeats-unseen", func(t rapid.TB) {
		m := accounts(true)
		m.State = func(a *account) any { return a.forget }
		property.Repeats(t, payments, m)
	}},
	{"repeats-one", func(t rapid.TB) {
		only := &account{seen: map[string]bool{}, forget: true}
		m := accounts(true)
		m.New = func() *account { return only }
		property.Repeats(t, payments, m)
	}},
	{"monotone-unseen", func(t rapid.TB) {
		property.Monotone(t, sets, lastWins(), func(set) int { return 1 }, func(a, b int) bool { return a <= b })
	}},
	{"repeats-no-apply", func(t rapid.TB) { property.Repeats(t, payments, property.Machine[*account, payment]{}) }},
	{"reorders", func(t rapid.TB) { property.Reorders(t, sets, lastWins()) }},
	{"monotone-numbered", func(t rapid.TB) {
		m := lastWins()
		m.Number = func(s set, n int) set { s.Version = n; return s }
		property.Monotone(t, sets, m, func(s set) int { return s.Version }, func(a, b int) bool { return a <= b })
	}},
	{"monotone", func(t rapid.TB) {
		property.Monotone(t, sets, lastWins(), func(s set) int { return s.Version }, func(a, b int) bool { return a <= b })
	}},
}

func TestLawsFail(t *testing.T) {
	for _, l := range broken {
		t.Run(l.name, func(t *testing.T) {
			f := try("Test", l.test)
			if !f.failed {
				t.Errorf("passed: %s", f.text())
			}
			golden(t, l.name, f.text())
		})
	}
}

func TestPanicIsShrunk(t *testing.T) {
	f := try("Test", func(t rapid.TB) {
		property.Idempotent(t, digits, func(s []int) []int { panic(fmt.Sprint(len(s))) })
	})
	if got := f.text(); !strings.Contains(got, "[rapid] panic") || !strings.Contains(got, "draw x: []int{}\n") {
		t.Error(got)
	}
}
