package proxy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// textFields are headers, a line each.
type textFields string

func (f textFields) Header(name string) ([]byte, bool) {
	for line := range strings.Lines(string(f)) {
		if n, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.EqualFold(n, name) {
			return []byte(v), true
		}
	}
	return nil, false
}

func request(line, headers, key string) *heard {
	method, target, _ := strings.Cut(line, " ")
	q := &heard{method: []byte(method), target: []byte(target), path: pathOf([]byte(target)), fields: textFields(headers)}
	if key != "" {
		q.key = []byte(key)
	}
	return q
}

func TestMatching(t *testing.T) {
	for _, c := range []struct {
		rule         settings.Rule
		line, header string
		key          string
		want         bool
	}{
		{settings.Rule{}, "POST /a", "", "", true},
		{settings.Rule{}, "GET /a", "", "", false},
		{settings.Rule{}, "DELETE /a", "", "", true},
		{settings.Rule{Methods: []string{"GET"}}, "GET /a", "", "", true},
		{settings.Rule{Methods: []string{"POST", "PUT"}}, "PATCH /a", "", "", false},
		{settings.Rule{Path: "/charges"}, "POST /charges?x=/y", "", "", true},
		{settings.Rule{Path: "/charges"}, "POST /charges/1", "", "", false},
		{settings.Rule{Path: "/charges/*"}, "POST /charges/1", "", "", true},
		{settings.Rule{Path: "/charges/*"}, "POST /charges/1/refund", "", "", false},
		{settings.Rule{Path: "/charges/*/refund"}, "POST /charges/1/refund", "", "", true},
		{settings.Rule{Path: "/v1/ch_*"}, "POST /v1/ch_1", "", "", true},
		{settings.Rule{Path: "/v1/*_1"}, "POST /v1/ch_1_1", "", "", true},
		{settings.Rule{Path: "/v1/**"}, "POST /v1/a/b", "", "", true},
		{settings.Rule{Path: "/v1/**"}, "POST /v1", "", "", true},
		{settings.Rule{Path: "/v1/**"}, "POST /v10", "", "", false},
		{settings.Rule{Path: "/v1/*/x/**"}, "POST /v1/a/x/b/c", "", "", true},
		{settings.Rule{Key: "present"}, "POST /a", "", "k", true},
		{settings.Rule{Key: "present"}, "POST /a", "", "", false},
		{settings.Rule{Key: "absent"}, "POST /a", "", "k", false},
		{settings.Rule{Header: map[string]string{"x-env": "staging"}}, "POST /a", "X-Env: staging", "", true},
		{settings.Rule{Header: map[string]string{"X-Env": "staging"}}, "POST /a", "X-Env: live", "", false},
		{settings.Rule{Header: map[string]string{"X-Env": "*"}}, "POST /a", "X-Env: live", "", true},
		{settings.Rule{Header: map[string]string{"X-Env": "*"}}, "POST /a", "", "", false},
		{settings.Rule{Type: "application/json"}, "POST /a", "Content-Type: Application/JSON; charset=utf-8", "", true},
		{settings.Rule{Type: "text/*"}, "POST /a", "Content-Type: application/json", "", false},
		{settings.Rule{Type: "text/*"}, "POST /a", "Content-Type: text/plain", "", true},
	} {
		r := newRules([]settings.Rule{c.rule}, settings.Settings{Fault: inject.Repeat})[0]
		if got := r.matches(request(c.line, c.header, c.key)); got != c.want {
			t.Errorf("%+v on %q %q: %v", c.rule, c.line, c.header, got)
		}
	}
}

func TestExclusions(t *testing.T) {
	x := newExclusions([]string{"/login", "/auth/**"})
	for path, want := range map[string]bool{
		"/login": true, "/logins": false, "/auth": true, "/auth/token": true, "/%61uth/token": true, "//auth/token": true,
		"/x/../auth/token": true, "/x/%2e%2e/login": true, "/broken%zz": true, "/charges": false, "/login/": true,
	} {
		if got := x.holds([]byte(path)); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// chosen are the requests of a list that a rule chooses, by their place.
func chosen(seed uint64, share settings.Share, requests []*heard) (all []int) {
	r := newRules([]settings.Rule{{Share: share}}, settings.Settings{})[0]
	var c counter
	for i, q := range requests {
		if r.chooses(seed, q.identity(seed), &c) {
			all = append(all, i)
		}
	}
	return all
}

// A share is a pure function of the seed and the request, in whatever order
// requests come, and about as large as it says.
func TestShare(t *testing.T) {
	const n = 20_000
	var list []*heard
	for i := range n {
		q := request("POST /charges", "", fmt.Sprintf("key-%d", i))
		if i%2 == 0 {
			q = request("POST /charges", "", "")
			q.start = fmt.Appendf(nil, `{"n":%d}`, i)
		}
		list = append(list, q)
	}
	back := slices.Clone(list)
	slices.Reverse(back)
	got := chosen(7, settings.Share{Percent: 5}, list)
	if d := math.Abs(float64(len(got)) - 0.05*n); d > 5*math.Sqrt(0.05*0.95*n) {
		t.Errorf("%d of %d", len(got), n)
	}
	other := chosen(7, settings.Share{Percent: 5}, back)
	if len(other) != len(got) || n-1-other[len(other)-1] != got[0] {
		t.Errorf("another order, another choice: %d and %d", len(got), len(other))
	}
	if third := chosen(8, settings.Share{Percent: 5}, list); fmt.Sprint(third) == fmt.Sprint(got) {
		t.Error("another seed chose the same")
	}
	if all := chosen(1, settings.Share{Percent: 100}, list); len(all) != n {
		t.Errorf("100 %% are %d", len(all))
	}
	if first := chosen(1, settings.Share{First: 3}, list); fmt.Sprint(first) != "[0 1 2]" {
		t.Error(first)
	}
	if every := chosen(1, settings.Share{Every: 8000}, list); fmt.Sprint(every) != "[7999 15999]" {
		t.Error(every)
	}
}

// The attempts of one request are chosen apart: not all or none of them.
func TestShareOfAttempts(t *testing.T) {
	q := request("POST /charges", "", "k")
	list := make([]*heard, 1000)
	for i := range list {
		list[i] = q
	}
	if n := len(chosen(1, settings.Share{Percent: 20}, list)); n < 130 || n > 270 {
		t.Errorf("%d of 1000 attempts at 20 %%", n)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("/v1/*/x/**", "/v1/a/x/b")
	f.Add("/a*b*c", "/axbxc")
	f.Fuzz(func(_ *testing.T, pattern, path string) {
		if settings.CheckPattern(pattern) == nil && strings.Count(pattern, "*") < 8 && len(path) < 100 {
			newPattern(pattern).matches([]byte(path))
		}
	})
}
