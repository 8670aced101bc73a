package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// shop is traffic as a payments service has it: callers of two tenants, each
// with a connection of its own, who make customers, charge their orders, look at
// what they made, and send again under the same key what failed.
type shop struct {
	URL     string
	Seed    uint64
	Callers int
	Only    []string      // the requests that the service offers, see dealings; nil: all
	Every   time.Duration // between two requests of one caller; 0: the next goes when the last is answered

	sent  atomic.Int64 // requests that were sent, retries too
	left  atomic.Int64 // how many more are to be sent
	mu    sync.Mutex
	wrong []string // answers that speak of something else than was asked; the first few

	callers []*caller
}

// caller is one of them.
type caller struct {
	*shop
	random    *rand.Rand
	client    *http.Client
	number, n int
	tenant    string
	customer  string
	account   string
}

// trade sends so many requests, and returns when the last is answered. The
// callers go on where they were.
func (s *shop) trade(ctx context.Context, requests int) {
	s.left.Store(int64(requests))
	for number := len(s.callers); number < s.Callers; number++ {
		s.callers = append(s.callers, s.caller(number))
	}
	var trading sync.WaitGroup
	for _, c := range s.callers {
		trading.Go(func() {
			defer c.client.CloseIdleConnections()
			for ctx.Err() == nil && s.left.Load() > 0 {
				c.deal(ctx)
			}
		})
	}
	trading.Wait()
}

func (s *shop) caller(number int) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: number%2 == 0}
	return &caller{shop: s, number: number, tenant: []string{"alice", "bob"}[number%2], account: fmt.Sprintf("acc-%d", number),
		random: rand.New(rand.NewPCG(s.Seed, uint64(number))), client: &http.Client{Transport: transport, Timeout: 30 * time.Second}}
}

// deal does one of the dealings, each as often as its weight says.
func (c *caller) deal(ctx context.Context) {
	sum := 0
	for _, d := range dealings {
		sum += d.weight
	}
	at := c.random.IntN(sum)
	for _, d := range dealings {
		if at -= d.weight; at < 0 {
			if c.Only == nil || slices.Contains(c.Only, d.name) {
				c.n++
				d.do(c, ctx)
			}
			return
		}
	}
}

// reply is what a caller was answered; status 0: nothing.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// field is a text of a JSON answer.
func (r reply) field(name string) string {
	var fields map[string]any
	if json.Unmarshal(r.body, &fields) != nil {
		return ""
	}
	text, _ := fields[name].(string)
	return text
}

// send sends a request, and again what was not answered, or with 409, 429 or 5xx: three times at most.
func (c *caller) send(ctx context.Context, method, path, key string, body any) (r reply) {
	for range 3 {
		r = c.once(ctx, method, path, key, body)
		if r.status != 0 && r.status != http.StatusConflict && r.status != http.StatusTooManyRequests && r.status < 500 {
			break
		}
	}
	return r
}

func (c *caller) once(ctx context.Context, method, path, key string, body any) reply {
	c.sent.Add(1)
	c.left.Add(-1)
	if c.Every > 0 {
		select {
		case <-ctx.Done():
			return reply{}
		case <-time.After(c.Every):
		}
	}
	req, err := c.request(ctx, method, path, key, body)
	if err != nil {
		c.complain("%s %s: %v", method, path, err)
		return reply{}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			c.complain("%s %s: %v", method, path, err)
		}
		return reply{}
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		c.complain("%s %s: the answer ends early: %v", method, path, err)
		return reply{}
	}
	return reply{resp.StatusCode, resp.Header, got}
}

func (c *caller) request(ctx context.Context, method, path, key string, body any) (*http.Request, error) {
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, sent)
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // net/http shall not send again by itself
	req.Header.Set("Authorization", "Bearer "+c.tenant)
	req.Header.Set("User-Agent", "shop/1.0")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return req, nil
}

// key is a new one, as a library of callers makes it.
func (c *caller) key() string {
	a, b := c.random.Uint64(), c.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// id is one that no other caller makes.
func (c *caller) id(prefix string) string {
	return fmt.Sprintf("%s-%d%03d%06d", prefix, c.Seed, c.number, c.n)
}

// want complains about an answer that speaks of something else. What was
// refused or failed speaks of nothing.
func (c *caller) want(r reply, name, value string) {
	if got := r.field(name); r.status < 300 && len(r.body) > 0 && got != "" && got != value {
		c.complain("an answer about %s speaks of %s", value, got)
	}
}

func (s *shop) complain(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) < 20 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// harm is what callers had to complain about.
func (s *shop) harm() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for _, what := range s.wrong {
		all = append(all, errors.New(what))
	}
	return errors.Join(all...)
}
