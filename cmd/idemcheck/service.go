package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// service is one payments service and the configuration that a user would write for it.
type service struct {
	Name, Doc  string
	Contract   string   // the block contract:, as YAML
	Operations []string // nil: charge and transfer
	Settle     string   // how long effects may take to show; "": 2s
	Whole      bool     // all endpoints are tried, not those two alone
	Defect     *payments.Defect
	Config     payments.Config

	plans   []scenarios.Plan               // nil: the whole catalogue
	only    []string                       // the operations that cases are made for; nil: all
	started func(url string) (stop func()) // called when the service serves; nil: nothing
}

// atOnce is how many services are checked side by side.
const atOnce = 8

// runServices checks each service; a defect ends at its first failing case.
func runServices(ctx context.Context, services []service, progress func(done, total int, name string)) ([]report.Run, error) {
	runs := make([]report.Run, len(services))
	errs := make([]error, len(services))
	var done atomic.Int64
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, s := range services {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			runs[i], errs[i] = s.run(ctx)
			progress(int(done.Add(1)), len(services), s.Name)
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", services[i].Name, err)
		}
	}
	return runs, nil
}

// run starts the service in this process and checks it.
func (s service) run(ctx context.Context) (report.Run, error) {
	id, err := newRun()
	if err != nil {
		return report.Run{}, err
	}
	sys, end, err := s.start(ctx, id)
	if err != nil {
		return report.Run{}, err
	}
	defer end()
	begin := time.Now()
	judged, h, err := scenarios.Run(ctx, sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: s.plans, Operations: s.only, StopAtFail: s.Defect != nil})
	return report.Run{History: h, Report: judged, Took: time.Since(begin)}, err
}

// start starts the service in this process, as the system that its file describes.
func (s service) start(ctx context.Context, id string) (sys scenarios.System, end func(), err error) {
	var undo []func()
	end = func() {
		for _, do := range slices.Backward(undo) {
			do()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	dir, err := os.MkdirTemp("", "idemcheck-demo-")
	if err != nil {
		return sys, end, err
	}
	undo = append(undo, func() { os.RemoveAll(dir) })
	ls, urls, err := listen(2) // replicas over one database
	if err != nil {
		return sys, end, err
	}
	s.Config.DSN = filepath.Join(dir, "payments.db")
	file, err := config.Parse("demo.yaml", []byte(s.yaml(urls)), func(string) (string, bool) { return "", false })
	if err != nil {
		return sys, end, err
	}
	sys, closeSystem, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return sys, end, err
	}
	undo = append(undo, closeSystem)
	s.Config.Provider = sys.Providers["card-charge"].URL()
	if notices := sys.Providers["notice"]; notices != nil {
		s.Config.Notices = notices.URL()
	}
	stop, err := s.serve(ctx, ls, urls)
	undo = append(undo, stop)
	if err == nil && s.started != nil {
		undo = append(undo, s.started(urls[0]))
	}
	return sys, end, err
}

// serve serves on all addresses until it is stopped.
func (s service) serve(ctx context.Context, ls []net.Listener, urls []string) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var served sync.WaitGroup
	stop = func() { cancel(); served.Wait() }
	for i, l := range ls {
		ended := make(chan error, 1)
		served.Go(func() { ended <- payments.Serve(ctx, l, s.Config) })
		if err := ready(urls[i] + "/healthz"); err != nil {
			select { // it says better why
			case why := <-ended:
				err = errors.Join(why, err)
			default:
			}
			return stop, err
		}
	}
	return stop, nil
}

// listen opens free ports, and tells their URLs.
func listen(n int) (ls []net.Listener, urls []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		ls, urls = append(ls, l), append(urls, "http://"+l.Addr().String())
	}
	return ls, urls, nil
}

// ready returns when the service has made its tables and answers: until then
// the connection waits in the listener's queue.
func ready(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// firstFailure is the first failing case and the first rule that it breaks, in
// the order of the rules' catalogue; rules of the file's own come last.
func firstFailure(r checkers.Report) (name, rule string) {
	for _, c := range r.Cases {
		if c.Verdict == checkers.Fail {
			return c.Name, firstRule(c.Violations)
		}
	}
	return "", ""
}

func firstRule(vs []checkers.Violation) (rule string) {
	best := len(checkers.Catalogue) + 1
	for _, v := range vs {
		rank := slices.IndexFunc(checkers.Catalogue, func(r checkers.Rule) bool { return r.Name == v.Rule })
		if rank < 0 {
			rank = len(checkers.Catalogue)
		}
		if v.Verdict == checkers.Fail && rank < best {
			best, rule = rank, v.Rule
		}
	}
	return rule
}
