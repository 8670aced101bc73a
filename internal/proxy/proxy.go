package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// Proxy is a staging proxy that runs.
type Proxy struct {
	opt      Options
	begin    time.Time
	replicas *replicas
	doors    []*door
	relay    relay.Server
	web      *web
	page     *http.Server
	pageURL  string

	rules    []*rule
	exclude  exclusions
	attempts counter
	toggle   toggle
	breaker  breaker
	budget   budget
	awaited  awaited
	store    *store
	copies   *copies

	learner     *traffic.Learner
	effects     *effects
	totals      *totals
	passages    *passages // nil: nothing is kept
	records     *records  // nil: likewise
	struckSoFar atomic.Int64
	tries       counter // of each operation that was struck

	refused   atomic.Int64 // chosen, but the budget was used up
	skips     tallies      // why others were not struck, or not sent twice
	notes     notes
	draining  atomic.Bool
	ctx       context.Context // ends with the proxy
	end       context.CancelFunc
	copying   context.Context // of copies; ends before
	endCopies context.CancelFunc
	stop      chan struct{} // of what runs beside
	beside    sync.WaitGroup
	wg        sync.WaitGroup // of doors
	handled   sync.WaitGroup // of connections
	drained   sync.Once
	report    error // of writing it
}

// Start opens the doors. It does not wait for the service: see Ready.
func Start(ctx context.Context, opt Options) (*Proxy, error) {
	fill(&opt)
	replicas, err := newReplicas(opt.To)
	if err != nil {
		return nil, err
	}
	p := &Proxy{opt: opt, replicas: replicas, begin: time.Now(), store: newStore(), copies: newCopies(), stop: make(chan struct{})}
	p.ctx, p.end = context.WithCancel(context.WithoutCancel(ctx))
	p.copying, p.endCopies = context.WithCancel(p.ctx)
	p.rules = newRules(opt.Rules, opt.Settings)
	p.exclude = newExclusions(opt.Exclude)
	p.budget = budget{limit: opt.Budget, now: time.Now}
	p.breaker = breaker{now: time.Now, never: opt.NoBreaker, change: p.breakerTold}
	p.toggle = toggle{file: opt.Off, change: p.toggleTold}
	p.web = newWeb(p)
	p.relay.Open = p.newLine
	p.relay.Odd = p.web.take
	p.relay.Refused = func(_ net.Conn, _ int, why string) { p.skips.add("refused by the proxy: " + why) }
	if err := p.open(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// fill puts defaults where nothing is said.
func fill(opt *Options) {
	opt.Budget = cmp.Or(opt.Budget, settings.DefaultBudget)
	opt.Run = cmp.Or(opt.Run, "proxy")
	if opt.Share.IsZero() {
		opt.Share = settings.DefaultShare
	}
	if opt.Fault.Name == "" {
		opt.Fault = inject.Repeat
	}
	opt.System.Redact.Fields = slices.Concat(opt.System.Redact.Fields, secretFields)
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
}

// secretFields are masked without being named: here the traffic of people passes.
var secretFields = []string{
	"password", "passwd", "pwd", "passphrase", "new_password", "old_password", "secret", "client_secret", "clientSecret", "private_key",
	"token", "access_token", "accessToken", "refresh_token", "refreshToken", "id_token", "idToken", "auth_token", "session_token", "csrf_token",
	"api_key", "apikey", "api-key", "apiKey", "authorization", "pin", "otp", "cvv", "cvc", "cvv2", "sig", "signature", "x-api-key",
}

// open listens everywhere, then begins.
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
	p.learner = traffic.New(p.learning())
	p.effects = newEffects(p)
	p.totals = newTotals(p)
	if err := errors.Join(p.openHistory(), p.openPage()); err != nil {
		return err
	}
	p.toggle.look()
	p.web.start()
	p.run()
	for _, d := range p.doors {
		p.wg.Go(func() { d.serve(func(c net.Conn) { p.handled.Go(func() { p.handle(c) }) }) })
	}
	return nil
}

// run starts what runs beside.
func (p *Proxy) run() {
	p.beside.Go(func() { p.toggle.watch(p.stop) })
	p.beside.Go(func() { p.look(p.stop) })
	p.beside.Go(func() { p.effects.run(p.stop) })
	p.beside.Go(func() { p.totals.run(p.stop) })
	p.beside.Go(func() { p.write(p.stop) })
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
	p.beside.Go(func() { _ = p.page.Serve(l) })
	return nil
}

// handle carries one connection of a caller.
func (p *Proxy) handle(c net.Conn) {
	h2, err := handshake(c, 10*time.Second)
	switch {
	case err != nil:
		c.Close()
	case h2 || !p.replicas.speakHTTP1():
		p.web.queue.put(c) // as it is: net/http asks it for its protocol
	default:
		p.relay.Serve(c)
	}
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
func (p *Proxy) Switch(on bool) { p.toggle.set(on) }
