package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

var errNoRun = errors.New("scenarios: Options.Run is empty: every operation's id begins with it")

// newRunner makes a runner with a history of its own.
func newRunner(sys System, opt Options) (*runner, error) {
	r, err := makeRunner(sys, opt)
	if err != nil {
		return nil, err
	}
	rec, err := history.NewRecorder(opt.Out, r.header(), sys.Redact)
	if err != nil {
		return nil, err
	}
	r.attach(rec)
	return r, nil
}

// makeRunner fills in defaults.
func makeRunner(sys System, opt Options) (*runner, error) {
	if opt.Run == "" {
		return nil, errNoRun
	}
	if opt.Plans == nil {
		opt.Plans = Catalogue()
	}
	free := sys.Limits.Attempts == 0
	sys.Limits = sys.Limits.filled()
	r := &runner{free: free, sys: sys, opt: opt, first: map[string]int{}, last: map[string]map[subject]seen{}, uncalibrated: map[string]string{},
		live: map[string]*live{}, tries: map[[2]string]int{}, workers: hands(sys.Workers), learned: map[string][]learned{}}
	for _, l := range sys.Links {
		r.links = append(r.links, l)
	}
	return r, nil
}

// attach makes all that records do so in a history.
func (r *runner) attach(rec *history.Recorder) {
	r.rec = rec
	if len(r.sys.Links) > 0 || r.sys.Points != nil {
		r.board = newBoard(func(e history.Event) { rec.Add(e, nil) })
		r.unwatch = r.board.watch(r.sys)
	}
	for _, p := range r.sys.Providers {
		p.Record = r.record
	}
	for _, o := range r.sys.Observers {
		if o.Attach != nil {
			o.Attach(r.record)
		}
	}
}

// filled is l with the defaults of DESIGN 9 in place of zeros.
func (l Limits) filled() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&l.Attempt, 10*time.Second)
	def(&l.Run, 10*time.Minute)
	def(&l.Settle, 10*time.Second)
	if l.Attempts == 0 {
		l.Attempts = 5000
	}
	return l
}

func (r *runner) header() history.Header {
	h := history.Header{
		Run: r.opt.Run, Seed: r.opt.Seed, Target: r.sys.Address,
		Contract: contractText(r.sys.Contract), Tool: r.opt.Tool, Start: time.Now(), Exclusive: r.sys.Exclusive,
	}
	if r.sys.NoEffects {
		h.Effects = "none"
	}
	for _, w := range r.sys.Workers {
		h.Workers = append(h.Workers, w.Name())
	}
	for _, l := range r.sys.Links {
		h.Links = append(h.Links, described(l))
	}
	for _, o := range r.sys.Observers {
		h.Observers = append(h.Observers, o.Observer)
	}
	for _, c := range r.sys.Checks {
		h.Rules = append(h.Rules, c.UserRule)
	}
	return h
}

// described is a link as people name it: "db (postgres)".
func described(l *wire.Link) string { return fmt.Sprintf("%s (%s)", l.Name(), l.Protocol()) }

// contractText is a contract as it stands in the header.
func contractText(c contract.Contract) string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain data: cannot happen
	}
	return string(b)
}
