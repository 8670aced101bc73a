package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	Defect     *payments.Defect
	Config     payments.Config

	started func(url string) (stop func()) // called when the service serves; nil: nothing
}

// atOnce is how many services are checked side by side.
const atOnce = 3

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

// run starts the service in this process and checks it with the whole catalogue.
func (s service) run(ctx context.Context) (report.Run, error) {
	dir, err := os.MkdirTemp("", "idemcheck-demo-")
	if err != nil {
		return report.Run{}, err
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return report.Run{}, err
	}
	s.Config.DSN = filepath.Join(dir, "payments.db")
	text := s.yaml("http://" + l.Addr().String())
	id, err := newRun()
	if err != nil {
		return report.Run{}, err
	}
	file, err := config.Parse("demo.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		return report.Run{}, err
	}
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return report.Run{}, err
	}
	defer end()
	s.Config.Provider = sys.Providers["card-charge"].URL()
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- payments.Serve(serving, l, s.Config) }()
	defer func() { stop(); <-served }()
	if err := ready("http://" + l.Addr().String() + "/healthz"); err != nil {
		return report.Run{}, err
	}
	if s.started != nil {
		defer s.started("http://" + l.Addr().String())()
	}

	begin := time.Now()
	judged, h, err := scenarios.Run(ctx, sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), StopAtFail: s.Defect != nil})
	return report.Run{History: h, Report: judged, Took: time.Since(begin)}, err
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

// yaml is the idemcheck.yaml of the service.
func (s service) yaml(url string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "target: %s\ncontract: %s\n", url, s.Contract)
	b.WriteString(demoOperations)
	if s.offers("transfer") {
		b.WriteString(demoTransfer)
	}
	fmt.Fprintf(&b, demoEffects, "sqlite:"+s.Config.DSN)
	if s.offers("transfer") {
		fmt.Fprintf(&b, demoTransferEffect, "sqlite:"+s.Config.DSN)
	}
	return b.String()
}

func (s service) offers(operation string) bool {
	return s.Operations == nil || slices.Contains(s.Operations, operation)
}

const demoOperations = `settle: {bound: 2s}
scopes:
  alice: {headers: {Authorization: Bearer alice}}
  bob: {headers: {Authorization: Bearer bob}}
operations:
  customer:
    send: POST /customers
    body: {name: Jane, email: "${id}@shop.example"}
    take: {customer: /id}
  charge:
    send: POST /charges
    before: [customer]
    body: {order: "${id}", amount: "${int 100 999}", currency: EUR, customer: "${customer}"}
`

const demoTransfer = `  transfer:
    send: POST /transfers
    body: {from: savings, to: rent, amount: "${int 100 999}"}
`

const demoEffects = `effects:
  charge-row:
    of: [charge]
    sql: %q
    query: select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1
    say: Order ${id} was charged
  card-charge:
    of: [charge]
    provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /metadata/order}
    say: Order ${id} was charged
`

const demoTransferEffect = `  transfer-row:
    of: [transfer]
    by: key
    sql: %q
    query: select idempotency_key as key, count(*) as n from transfers where idempotency_key in (:keys) group by 1
    say: The transfer of key ${key} was booked
`

// firstFailure is the first failing case and the first rule that it breaks, in
// the order of the rules' catalogue.
func firstFailure(r checkers.Report) (name, rule string) {
	for _, c := range r.Cases {
		if c.Verdict != checkers.Fail {
			continue
		}
		for _, known := range checkers.Catalogue {
			for _, v := range c.Violations {
				if v.Verdict == checkers.Fail && v.Rule == known.Name {
					return c.Name, v.Rule
				}
			}
		}
	}
	return "", ""
}
