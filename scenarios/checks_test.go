package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// keys is the table of deduplication records of a shop: it counts a record for
// each effect, until it is aged past the life of 24 h.
type keys struct {
	*shop
	aged  time.Duration
	keeps bool // the sweep does not work
	early bool // it takes records at half their life
}

func (k *keys) Age(_ context.Context, q observe.Query, by time.Duration) error {
	if len(q.IDs) == 0 || len(q.Keys) != len(q.IDs) {
		return fmt.Errorf("aged %v", q)
	}
	k.aged += by
	return nil
}

func (k *keys) Rows(context.Context) ([]string, int, error) {
	n := k.total()
	if k.aged >= 24*time.Hour && !k.keeps || k.early && k.aged >= 12*time.Hour {
		n = 0
	}
	return []string{fmt.Sprintf(`{"count":%d}`, n)}, 1, nil
}

func (s *shop) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, es := range s.effects {
		n += len(es)
	}
	return n
}

// rowsOf shows a row for each effect, late ones when they are there.
func (s *shop) rowsOf(_ context.Context, q observe.Query) (map[string][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := map[string][]string{}
	for _, id := range q.IDs {
		for _, at := range s.effects[id] {
			if !time.Now().Before(at) {
				rows[id] = append(rows[id], `{"ref":"`+id+`","status":"placed"}`)
			}
		}
	}
	return rows, nil
}

func userRule(name, kind, text string) history.UserRule {
	return history.UserRule{Name: name, Kind: kind, Text: text}
}

func TestUserRules(t *testing.T) {
	one := func(row string) func(context.Context) ([]string, int, error) {
		return func(context.Context) ([]string, int, error) { return []string{row}, 1, nil }
	}
	rising := 0
	for name, c := range map[string]struct {
		twice bool
		late  time.Duration
		check func(s *shop, sys *System) Check
		want  checkers.Verdict
		says  string
	}{
		"each holds": {check: func(*shop, *System) Check {
			return Check{UserRule: userRule("x", history.RuleEach, "effects.orders <= 1")}
		}, want: checkers.Pass},
		"each fails": {twice: true, check: func(*shop, *System) Check {
			return Check{UserRule: userRule("x", history.RuleEach, "effects.orders <= 1")}
		}, want: checkers.Fail, says: "not true of order r-"},
		"conserved": {check: func(*shop, *System) Check {
			return Check{UserRule: userRule("x", history.RuleConserved, ""), Rows: one(`{"sum":5}`)}
		}, want: checkers.Pass},
		"conserved in the end": {check: func(*shop, *System) Check {
			rising = 0
			return Check{UserRule: userRule("x", history.RuleConserved, ""), Rows: func(context.Context) ([]string, int, error) {
				rising = (rising + 1) % 3
				return []string{fmt.Sprintf(`{"sum":%d}`, rising)}, 1, nil
			}}
		}, want: checkers.Pass},
		"not conserved": {check: func(s *shop, _ *System) Check {
			return Check{UserRule: userRule("x", history.RuleConserved, ""), Rows: func(context.Context) ([]string, int, error) {
				return []string{fmt.Sprintf(`{"sum":%d}`, s.total())}, 1, nil
			}}
		}, want: checkers.Fail, says: "The total was 0 before the run"},
		"same rows": {check: func(s *shop, _ *System) Check {
			return Check{UserRule: userRule("x", history.RuleSame, ""), RowsOf: s.rowsOf}
		}, want: checkers.Pass},
		"other rows": {twice: true, check: func(s *shop, _ *System) Check {
			return Check{UserRule: userRule("x", history.RuleSame, ""), RowsOf: s.rowsOf}
		}, want: checkers.Fail, says: "has other rows than"},
		"rows come late": {late: 3 * time.Second, check: func(s *shop, _ *System) Check {
			return Check{UserRule: userRule("x", history.RuleSame, ""), RowsOf: s.rowsOf}
		}, want: checkers.Pass},
		"bounded": {check: func(s *shop, sys *System) Check {
			k := &keys{shop: s}
			sys.Age = k
			return Check{UserRule: userRule("x", history.RuleBounded, ""), Rows: k.Rows}
		}, want: checkers.Pass},
		"not bounded": {check: func(s *shop, sys *System) Check {
			k := &keys{shop: s, keeps: true}
			sys.Age = k
			return Check{UserRule: history.UserRule{Name: "x", Kind: history.RuleBounded, Within: true}, Within: time.Second, Rows: k.Rows}
		}, want: checkers.Fail, says: "after all keys were aged past their life"},
		"the sweep takes living keys": {check: func(s *shop, sys *System) Check {
			k := &keys{shop: s, early: true}
			sys.Age = k
			return Check{UserRule: history.UserRule{Name: "x", Kind: history.RuleBounded, Within: true}, Within: time.Second, Rows: k.Rows}
		}, want: checkers.Fail, says: "records of keys that were alive"},
		"nothing ages": {check: func(s *shop, _ *System) Check {
			return Check{UserRule: userRule("x", history.RuleBounded, ""), Rows: one("{}")}
		}, want: "", says: "keys can not be made older"},
		"can not be read": {check: func(*shop, *System) Check {
			return Check{UserRule: userRule("x", history.RuleConserved, ""), Rows: func(context.Context) ([]string, int, error) {
				return nil, 0, errors.New("no such table")
			}}
		}, want: checkers.Inconclusive, says: "no such table"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{twice: c.twice, late: c.late}
			sys := s.system()
			sys.Contract = contract.Contract{Life: 24 * time.Hour}
			sys.Checks = []Check{c.check(s, &sys)}
			var out bytes.Buffer
			inBubble(t, sys, Options{Plans: scenario(t, "plain", "lost-answer"), Out: &out}, func(r checkers.Report, _ history.History, err error) {
				if err != nil {
					t.Fatal(err)
				}
				h, err := history.Read(&out)
				if err != nil {
					t.Fatal(err)
				}
				for _, report := range []checkers.Report{r, expression.Judge(h, contract.Contract{})} {
					got := report.Cases[len(report.Cases)-1]
					if text := reasons(report) + got.Skipped; got.Name != "rule/x" || got.Verdict != c.want || !strings.Contains(text, c.says) {
						t.Errorf("%s %q, want %q %q: %s", got.Name, got.Verdict, c.want, c.says, text)
					}
				}
			})
		})
	}
}
