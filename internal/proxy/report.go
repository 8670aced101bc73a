package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// tallies count by reason.
type tallies struct {
	mu sync.Mutex
	by map[string]int64
}

func (t *tallies) add(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil {
		t.by = map[string]int64{}
	}
	if _, ok := t.by[why]; ok || len(t.by) < 100 {
		t.by[why]++
	}
}

// lines are the reasons with their numbers, and the sum.
func (t *tallies) lines() (lines []string, sum int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, why := range slices.Sorted(maps.Keys(t.by)) {
		lines = append(lines, fmt.Sprintf("%d × %s", t.by[why], why))
		sum += t.by[why]
	}
	return lines, sum
}

// notes are what keeps a report from being whole, each once.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (p *Proxy) note(text string) {
	p.notes.mu.Lock()
	known := slices.Contains(p.notes.all, text) || len(p.notes.all) >= 50
	if !known {
		p.notes.all = append(p.notes.all, text)
	}
	p.notes.mu.Unlock()
	if !known {
		p.opt.Log(text)
	}
}

func (p *Proxy) skipped(why string) { p.skips.add(why) }

func (p *Proxy) breakerTold(open bool, r rates) {
	if open {
		p.note("the breaker opened: " + r.String())
		p.opt.Log(fmt.Sprintf("nothing is struck for %s: %s", breakerOpen, r))
	} else {
		p.opt.Log("requests are struck again, half of them at first")
	}
}

func (p *Proxy) toggleTold(on bool, why string) {
	if on {
		p.opt.Log("requests are struck again: switched on")
	} else {
		p.opt.Log("nothing is struck: " + why)
	}
}

// learning is what the learner knows before.
func (p *Proxy) learning() traffic.Options {
	o := traffic.Options{Redact: p.opt.System.Redact, Listen: p.doors[0].name, Target: p.opt.To[0].URL, Contract: p.opt.System.Contract, History: p.opt.Dir}
	for _, op := range p.opt.Operations {
		t := traffic.Operation{Name: op.Name, Method: op.Method, Path: patternOf(p.opt.Base, op), Contract: p.opt.System.Contract, Expect: map[string]int{}}
		for _, obs := range p.opt.System.Observers {
			if obs.Counts(op.Name) && obs.Expect > 0 {
				t.Expect[obs.Name] = obs.Expect
			}
		}
		o.Operations = append(o.Operations, t)
		if op.Key.In == "header" {
			o.Keys = append(o.Keys, op.Key.Name)
		}
	}
	return o
}

// Report is what was learned so far.
func (p *Proxy) Report() traffic.Report {
	r := p.learner.Report()
	r.Run, r.Tool, r.Seed = p.opt.Run, p.opt.Agent, p.opt.Seed
	lines, sum := p.skips.lines()
	p.notes.mu.Lock()
	r.Notes = append(slices.Clone(p.notes.all), lines...)
	p.notes.mu.Unlock()
	r.State = traffic.State{
		Running: !p.draining.Load(), On: p.toggle.on() && !p.breaker.isOpen(), Why: p.toggle.why(), Breaker: p.breaker.isOpen(),
		Used: p.budget.used(), Budget: p.opt.Budget, Refused: p.refused.Load(), Skipped: sum, InFlight: p.copies.inFlight(), Rules: p.words(),
	}
	if r.State.Breaker && r.State.Why == "" {
		r.State.Why = p.breaker.opening().String()
	}
	if p.passages != nil {
		r.State.Dropped = p.passages.files.dropped.Load() + p.records.files.dropped.Load()
	}
	return r
}

// words are the rules as people read them.
func (p *Proxy) words() (all []string) {
	for _, r := range p.rules {
		all = append(all, r.words())
	}
	return all
}

func (r *rule) words() string {
	b := strings.Builder{}
	fmt.Fprintf(&b, "%s %s ", r.Fault, shareWords(r.Share))
	switch {
	case len(r.Methods) > 0:
		b.WriteString(strings.Join(r.Methods, "|"))
	default:
		b.WriteString("requests that may change something")
	}
	if r.Path != "" {
		b.WriteString(" " + r.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		b.WriteString(", header " + name)
	}
	if r.Key != "" {
		b.WriteString(", key " + r.Key)
	}
	if r.Type != "" {
		b.WriteString(", " + r.Type)
	}
	return b.String()
}

func shareWords(s settings.Share) string {
	switch {
	case s.First > 0:
		return fmt.Sprintf("the first %d of", s.First)
	case s.Every > 0:
		return fmt.Sprintf("one in %d of", s.Every)
	}
	return fmt.Sprintf("%g %% of", s.Percent)
}

// header is that of each file of the history.
func (p *Proxy) header() history.Header {
	c, _ := json.Marshal(p.opt.System.Contract) // plain data can always be written
	h := history.Header{Run: p.opt.Run, Seed: p.opt.Seed, Target: p.opt.To[0].URL, Contract: string(c), Tool: p.opt.Agent, Start: p.begin}
	for _, o := range p.opt.System.Observers {
		h.Observers = append(h.Observers, o.Observer)
	}
	return h
}

func (p *Proxy) openHistory() error {
	if p.opt.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(p.opt.Dir, 0o755); err != nil {
		return err
	}
	if p.opt.History.None {
		return nil
	}
	p.passages = newPassages(newVolumes(p.opt.Dir, "traffic", p.opt.History, 3), p.begin, p.opt.Run, p.header)
	p.records = &records{files: newVolumes(p.opt.Dir, "history", p.opt.History, 1), header: p.header, redact: p.opt.System.Redact}
	return nil
}

func (p *Proxy) closeHistory() error {
	if p.passages == nil {
		return nil
	}
	return errors.Join(p.passages.close(), p.records.close())
}

// write writes the report every ten seconds until stop is closed.
func (p *Proxy) write(stop <-chan struct{}) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := p.writeReport(false); err != nil {
				p.note("the report could not be written: " + err.Error())
			}
		case <-stop:
			return
		}
	}
}

// writeReport writes traffic.json, and at the end proxy.html.
func (p *Proxy) writeReport(end bool) error {
	if p.opt.Dir == "" {
		return nil
	}
	r := p.Report()
	err := replaceFile(filepath.Join(p.opt.Dir, "traffic.json"), r.JSON)
	if end {
		err = errors.Join(err, replaceFile(filepath.Join(p.opt.Dir, "proxy.html"), func(w io.Writer) error { return r.HTML(w, false) }))
	}
	return err
}

// replaceFile writes a file so that a reader sees the old one or the new one.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
