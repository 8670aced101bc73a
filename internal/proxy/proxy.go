package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// Proxy is a staging proxy that runs.
type Proxy struct {
	opt      Options
	replicas *replicas
	doors    []*door
	web      *web
	begin    time.Time

	draining atomic.Bool
	wg       sync.WaitGroup // of the doors
	page     *http.Server
	pageURL  string
}

// Start opens the doors. It does not wait for the service: see Ready.
func Start(ctx context.Context, opt Options) (*Proxy, error) {
	opt.Budget = cmp.Or(opt.Budget, settings.DefaultBudget)
	if opt.Share.IsZero() {
		opt.Share = settings.DefaultShare
	}
	if opt.Fault.Name == "" {
		opt.Fault = inject.Repeat
	}
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
	replicas, err := newReplicas(opt.To)
	if err != nil {
		return nil, err
	}
	p := &Proxy{opt: opt, replicas: replicas, begin: time.Now()}
	p.web = newWeb(p)
	if err := p.open(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// open listens everywhere.
func (p *Proxy) open() error {
	if len(p.opt.Listen) == 0 {
		return errors.New("no address to listen on")
	}
	for _, l := range p.opt.Listen {
		d, err := open(l)
		if err != nil {
			return err
		}
		p.doors = append(p.doors, d)
	}
	if err := p.openPage(); err != nil {
		return err
	}
	p.web.start()
	for _, d := range p.doors {
		p.wg.Go(func() { d.serve(p.handle) })
	}
	return nil
}

func (p *Proxy) openPage() error {
	if p.opt.Page == "" {
		return nil
	}
	_, address, err := settings.ParseListen(p.opt.Page)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	p.pageURL = "http://" + l.Addr().String()
	p.page = &http.Server{Handler: p.Admin(), ReadHeaderTimeout: 10 * time.Second}
	p.wg.Go(func() { _ = p.page.Serve(l) })
	return nil
}

// handle carries one connection of a caller.
func (p *Proxy) handle(c net.Conn) {
	h2, err := handshake(c, 10*time.Second)
	if err != nil {
		c.Close()
		return
	}
	_ = h2
	p.web.take(c)
}

// URLs are where callers come in: "http://127.0.0.1:8080", "unix:/run/p.sock".
func (p *Proxy) URLs() (all []string) {
	for _, d := range p.doors {
		all = append(all, d.name)
	}
	return all
}

// PageURL is where the page is; "": nowhere.
func (p *Proxy) PageURL() string { return p.pageURL }

// Ready dials the service.
func (p *Proxy) Ready(ctx context.Context) error {
	if p.draining.Load() {
		return errors.New("draining")
	}
	return p.replicas.ready(ctx)
}

// Switch turns the striking off and on. The file of Settings.Off holds as well.
func (p *Proxy) Switch(on bool) {}

// Drain takes no more connections, lets what is on its way end until ctx is
// done, waits for copies and observers, and writes the report.
func (p *Proxy) Drain(ctx context.Context) error {
	p.draining.Store(true)
	for _, d := range p.doors {
		d.Close()
	}
	return p.web.drain(ctx)
}

// Close ends everything at once. After Drain it only frees what is left.
func (p *Proxy) Close() error {
	p.draining.Store(true)
	for _, d := range p.doors {
		d.Close()
	}
	p.web.close()
	if p.page != nil {
		p.page.Close()
	}
	p.wg.Wait()
	p.replicas.close()
	return nil
}
