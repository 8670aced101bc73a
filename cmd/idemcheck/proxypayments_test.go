package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// fiveMinutes are the requests of a service that gets 20 a second: a defect must
// be known by then, and no sound service accused.
const fiveMinutes = 6000

// proxied is one service behind a proxy, with what came of it.
type proxied struct {
	service
	seed    uint64
	counted bool  // effects are counted; else the proxy knows nothing but the address
	enough  int64 // requests

	requests int64 // that were sent until the verdict
	report   traffic.Report
	harm     error
	code     int
}

// TestProxyFindsPayments stands before the payments service with each defect
// that repeats can show, while callers trade with it.
func TestProxyFindsPayments(t *testing.T) {
	unraced(t)
	var all []*proxied
	const enough = fiveMinutes
	for _, d := range eachNth(shownDefects(), amount(6, 1, 1)) {
		shows := shownByTraffic[d.Name]
		all = append(all, &proxied{service: defectService(d), seed: 1, counted: true, enough: enough})
		if !shows.counted {
			all = append(all, &proxied{service: defectService(d), seed: 1, enough: enough})
		}
	}
	tryProxied(t, all)
	for _, p := range all {
		found := p.found()
		t.Logf("%-26s %-10s %6d requests  %s", p.Name, p.by(), p.requests, found)
		if found == "" {
			t.Errorf("%s, %s: not found by %d requests\n%s", p.Name, p.by(), p.requests, p.printed())
		}
	}
}

func shownDefects() (all []payments.Defect) {
	for _, d := range payments.Defects {
		if _, shown := shownByTraffic[d.Name]; shown {
			all = append(all, d)
		}
	}
	return all
}

// TestProxyAccusesNoSoundPayments does the same with the service as it should be and its variants.
func TestProxyAccusesNoSoundPayments(t *testing.T) {
	unraced(t)
	sound := []service{{Name: "payments", Contract: payments.Contract, Whole: true}}
	for _, v := range payments.Variants {
		sound = append(sound, variantService(v))
	}
	var all []*proxied
	enough := amount[int64](1500, 2000, fiveMinutes)
	for seed := range uint64(amount(1, 1, 5)) {
		for _, s := range eachNth(sound, amount(6, 2, 1)) {
			all = append(all, &proxied{service: s, seed: seed + 1, counted: true, enough: enough}, &proxied{service: s, seed: seed + 1, enough: enough})
		}
	}
	tryProxied(t, all)
	for _, p := range all {
		t.Logf("%-26s %-10s seed %d  %6d requests  %d repeats  exit %d", p.Name, p.by(), p.seed, p.requests, p.report.Repeats, p.code)
		if p.report.Verdict == traffic.Certain || p.report.Verdict == traffic.Likely || p.report.Repeats < enough/60 {
			t.Errorf("%s is sound, %s, seed %d: %s after %d repeats\n%s", p.Name, p.by(), p.seed, p.report.Verdict, p.report.Repeats, p.printed())
		}
		if p.harm != nil {
			t.Errorf("%s: callers were harmed: %v", p.Name, p.harm)
		}
	}
}

func (p *proxied) by() string {
	if p.counted {
		return "counted"
	}
	return "answers"
}

// found is the first finding that accuses the route that has the defect, if it
// says what is wrong there.
func (p *proxied) found() string {
	want := shownByTraffic[p.Name]
	for _, r := range p.report.Routes {
		if r.Name == want.route && (r.Verdict == traffic.Certain || r.Verdict == traffic.Likely) && want.names(r.Findings[0]) {
			return string(r.Verdict) + ": " + r.Findings[0].Words
		}
	}
	return ""
}

func (p *proxied) printed() string {
	var b strings.Builder
	if err := p.report.Text(&b, false); err != nil {
		return err.Error()
	}
	return b.String()
}

// tryProxied tries all, a few at a time.
func tryProxied(t *testing.T, all []*proxied) {
	t.Helper()
	t.Chdir(t.TempDir())
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, p := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := p.try(t, fmt.Sprintf("p%d", i)); err != nil {
				t.Errorf("%s, %s: %v", p.Name, p.by(), err)
			}
		})
	}
	group.Wait()
}

// try starts the service and the proxy, and trades until the verdict is known.
func (p *proxied) try(t *testing.T, name string) error {
	ls, urls, err := listen(2)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(name, 0o755); err != nil {
		return err
	}
	if p.Config.DSN, err = filepath.Abs(filepath.Join(name, "payments.db")); err != nil {
		return err
	}
	file, err := p.write(name, urls)
	if err != nil {
		return err
	}
	end, err := p.serve(t.Context(), ls, urls)
	defer end()
	if err != nil {
		return err
	}
	args := []string{"--seed", fmt.Sprint(p.seed), "--output", "json", "--budget", "100000", "-f", file}
	proxy := stand(t, args...)
	p.trade(t.Context(), proxy)
	code, report := proxy.end()
	p.code = code
	p.report, err = traffic.ReadReport(strings.NewReader(report))
	return err
}

// trade sends traffic until a defect is known, or the five minutes are over.
func (p *proxied) trade(ctx context.Context, s *standing) {
	callers := &shop{URL: s.URL, Seed: p.seed, Callers: 16, Only: p.offers()}
	for callers.sent.Load() < p.enough {
		callers.trade(ctx, 500)
		if p.Defect != nil && p.known(s) {
			break
		}
	}
	p.requests, p.harm = callers.sent.Load(), callers.harm()
}

// known asks the running proxy whether the defect has been found.
func (p *proxied) known(s *standing) bool {
	resp, err := http.Get(s.Page + "/traffic.json")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	p.report, err = traffic.ReadReport(resp.Body)
	return err == nil && p.found() != ""
}

// offers are the dealings that the service offers.
func (p *proxied) offers() []string {
	switch {
	case p.Whole:
		return nil
	case p.Operations == nil:
		return []string{"customer", "look", "charge", "transfer"}
	}
	return append([]string{"customer", "look"}, p.Operations...)
}

// write writes the file of the service: as for idemcheck run, with a block
// proxy:, or that block alone.
func (p *proxied) write(name string, urls []string) (file string, err error) {
	text := proxyRules
	if p.counted {
		yaml := p.yaml(urls)
		for strings.Contains(yaml, `"127.0.0.1:0"`) {
			yaml = strings.Replace(yaml, `"127.0.0.1:0"`, `"`+unusedAddress()+`"`, 1)
		}
		p.Config.Provider, p.Config.Notices = standInOf(yaml, "card-charge"), standInOf(yaml, "notice")
		text += yaml
	} else {
		to, err := json.Marshal(urls)
		if err != nil {
			return "", err
		}
		text += "  to: " + string(to) + "\n"
	}
	file = filepath.Join(name, "idemcheck.yaml")
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// standInOf is the URL of a stand-in of the file.
func standInOf(yaml, name string) string {
	_, rest, found := strings.Cut(yaml, "\n  "+name+":\n")
	if !found {
		return ""
	}
	_, rest, _ = strings.Cut(rest, `{listen: "`)
	address, _, _ := strings.Cut(rest, `"`)
	return "http://" + address
}

const proxyRules = `proxy:
  rules:
    - {fault: repeat, share: 2%}
    - {fault: overlap, share: 1.5%}
    - {fault: {late: 1s}, share: 1%}
    - {match: {type: application/json}, fault: reencode, share: 0.5%}
`
