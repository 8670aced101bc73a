package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// mapped is a payments service whose windows are tried: processes of this program.
type mapped struct {
	Name, Doc string
	Contract  string // "": that of the sound service
	Defect    string
	Variant   string

	databases []string // postgres:// URLs, one for each instance; nil: SQLite files
	instances int      // how many run side by side; 0: 1
	opt       scenarios.MapOptions
}

// self is the program that services are started from.
var self = os.Executable

// draw starts the instances and draws the map of charge.
func (s mapped) draw(ctx context.Context) (r report.Run, err error) {
	dir, err := os.MkdirTemp("", "idemcheck-map-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	id, err := newRun()
	if err != nil {
		return r, err
	}
	systems, end, err := s.start(ctx, dir, id)
	defer end()
	if err != nil {
		return r, err
	}
	s.opt.Run, s.opt.Seed, s.opt.Tool, s.opt.Operations = id, 1, tool(), []string{"charge"}
	begin := time.Now()
	r.Maps, r.Report, r.History, err = scenarios.RunMap(ctx, systems, s.opt)
	r.Took = time.Since(begin)
	return r, err
}

// start starts the instances side by side; end ends them, also after an error.
func (s mapped) start(ctx context.Context, dir, id string) (systems []scenarios.System, end func(), err error) {
	n := max(1, s.instances, len(s.databases))
	systems = make([]scenarios.System, n)
	ends, errs := make([]func(), n), make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { systems[i], ends[i], errs[i] = s.instance(ctx, dir, id, i) })
	}
	group.Wait()
	end = func() {
		var group sync.WaitGroup
		for _, e := range ends {
			if e != nil {
				group.Go(e)
			}
		}
		group.Wait()
	}
	return systems, end, errors.Join(errs...)
}

// instance starts one of the instances, as a user of idemcheck.yaml would.
func (s mapped) instance(ctx context.Context, dir, id string, i int) (sys scenarios.System, end func(), err error) {
	address := unusedAddress()
	if dir, err = os.MkdirTemp(dir, "instance-"); err != nil {
		return sys, nil, err
	}
	text, err := s.yaml(dir, "http://"+address, i)
	if err != nil {
		return sys, nil, err
	}
	file, err := config.Parse("map.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		return sys, nil, err
	}
	if sys, end, err = file.System(config.Options{Run: id, Seed: 1, Agent: tool(), Logs: dir}); err == nil {
		err = file.Start(ctx, sys)
	}
	return sys, end, err
}

// ports are those of services, from a random one on: below those that systems
// give to connections on their way out, so that nobody takes one while its
// service is away after a kill.
var (
	ports     atomic.Uint32
	firstPort = rand.Uint32N(20000)
)

// unusedAddress is one where nothing listens. It is asked for and not tried: a
// process that is started just then would keep it for a moment.
func unusedAddress() string {
	for {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+(firstPort+ports.Add(1))%20000)
		c, err := net.Dial("tcp", address)
		if err != nil {
			return address
		}
		c.Close()
	}
}

// yaml is the idemcheck.yaml of an instance.
func (s mapped) yaml(dir, url string, i int) (string, error) {
	program, err := self()
	if err != nil {
		return "", err
	}
	dsn, link := filepath.Join(dir, "payments.db"), ""
	run := []string{program, "fixture", "payments", "--instance", "api", "--listen", strings.TrimPrefix(url, "http://"),
		"--provider", "http://${link.card}", "--defect", s.Defect, "--variant", s.Variant}
	if s.databases == nil {
		run = append(run, "--db", dsn)
		dsn = "sqlite:" + dsn
	} else {
		dsn = s.databases[i]
		host := hostOf(dsn)
		run = append(run, "--db", strings.Replace(dsn, host, "${link.db}", 1))
		link = fmt.Sprintf("  db: {protocol: postgres, to: %q}\n", host)
	}
	charge := demoBlocks[0]
	contract := s.Contract
	if contract == "" {
		contract = payments.Contract
	}
	return fmt.Sprintf("target: %s\ncontract: %s\nsettle: {bound: 2s}\n%s%seffects:\n%slinks:\n%s  card: {protocol: http, to: provider/card-charge}\nworkers:\n  api: {run: [%s], ready: GET /healthz}\n",
		url, contract, demoHead, strings.Replace(charge.operation, "FIND", "", 1),
		strings.NewReplacer("DATABASE", dsn, "ALONE", "false").Replace(charge.effects+outboxEffect), link, quoted(run)), nil
}

// outboxEffect counts the messages about charges.
const outboxEffect = `  outbox-row:
    of: [charge]
    sql: DATABASE
    query: select order_id as id, count(*) as n from outbox where order_id in (:ids) group by 1
    say: Order ${id} was announced
`

// hostOf is the host and port of a postgres:// URL.
func hostOf(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://")
	rest, _, _ = strings.Cut(rest, "/")
	return rest[strings.LastIndex(rest, "@")+1:]
}

// quoted is a list of texts in YAML.
func quoted(texts []string) string {
	var all []string
	for _, t := range texts {
		all = append(all, fmt.Sprintf("%q", t))
	}
	return strings.Join(all, ", ")
}
