package inject

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// samples is how often a thing is tried that must never fail.
func samples() int {
	if os.Getenv("IDEMCHECK_LONG") != "" {
		return 1000
	}
	return 100
}

// payer charges an order: effect is where money moves.
type payer func(id string, effect func(string))

// ledger is the state of a service.
type ledger struct {
	mu   sync.Mutex
	paid map[string]bool
}

func (l *ledger) has(id string) bool { l.mu.Lock(); defer l.mu.Unlock(); return l.paid[id] }
func (l *ledger) put(id string)      { l.mu.Lock(); defer l.mu.Unlock(); l.paid[id] = true }

// first is true for the first who asks for the id.
func (l *ledger) first(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.paid[id]
	l.paid[id] = true
	return !was
}

// broken services look first and act later.
var broken = map[string]func() payer{
	"check then act": func() payer {
		l := &ledger{paid: map[string]bool{}}
		return func(id string, effect func(string)) {
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
		}
	},
	"slow check": func() payer {
		l := &ledger{paid: map[string]bool{}}
		return func(id string, effect func(string)) {
			paid := l.has(id)
			time.Sleep(time.Millisecond)
			if !paid {
				effect(id)
				l.put(id)
			}
		}
	},
	"check behind a timer": func() payer {
		l := &ledger{paid: map[string]bool{}}
		return func(id string, effect func(string)) {
			paid := l.has(id)
			<-time.After(300 * time.Microsecond)
			if !paid {
				effect(id)
				l.put(id)
			}
		}
	},
	"on another goroutine": func() payer {
		l := &ledger{paid: map[string]bool{}}
		return func(id string, effect func(string)) {
			if l.has(id) {
				return
			}
			var one sync.WaitGroup
			one.Go(func() { effect(id) })
			one.Wait()
			l.put(id)
		}
	},
	"lock for the check only": func() payer {
		l := &ledger{paid: map[string]bool{}}
		var all sync.Mutex
		return func(id string, effect func(string)) {
			all.Lock()
			paid := l.has(id)
			for range 1000 {
				_ = l.has(id)
			}
			all.Unlock()
			if !paid {
				effect(id)
				l.put(id)
			}
		}
	},
}

// sound services keep the second one out.
var sound = map[string]func() payer{
	"mutex": func() payer {
		l := &ledger{paid: map[string]bool{}}
		var all sync.Mutex
		return func(id string, effect func(string)) {
			all.Lock()
			defer all.Unlock()
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
		}
	},
	"read-write mutex": func() payer {
		l := &ledger{paid: map[string]bool{}}
		var all sync.RWMutex
		return func(id string, effect func(string)) {
			all.Lock()
			defer all.Unlock()
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
		}
	},
	"channel": func() payer {
		l := &ledger{paid: map[string]bool{}}
		var once sync.Once
		var token chan struct{}
		return func(id string, effect func(string)) {
			once.Do(func() { token = make(chan struct{}, 1) })
			token <- struct{}{}
			defer func() { <-token }()
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
		}
	},
	"singleflight": func() payer {
		l := &ledger{paid: map[string]bool{}}
		var mu sync.Mutex
		flights := map[string]*sync.WaitGroup{}
		return func(id string, effect func(string)) {
			mu.Lock()
			if f := flights[id]; f != nil {
				mu.Unlock()
				f.Wait()
				return
			}
			f := &sync.WaitGroup{}
			f.Add(1)
			flights[id] = f
			mu.Unlock()
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
			mu.Lock()
			delete(flights, id)
			mu.Unlock()
			f.Done()
		}
	},
	"condition": func() payer {
		l := &ledger{paid: map[string]bool{}}
		busy, c := false, sync.NewCond(&sync.Mutex{})
		return func(id string, effect func(string)) {
			c.L.Lock()
			for busy {
				c.Wait()
			}
			busy = true
			c.L.Unlock()
			if !l.has(id) {
				effect(id)
				l.put(id)
			}
			c.L.Lock()
			busy = false
			c.L.Unlock()
			c.Broadcast()
		}
	},
	"unique key": func() payer {
		l := &ledger{paid: map[string]bool{}}
		return func(id string, effect func(string)) {
			if l.first(id) {
				effect(id)
			}
		}
	},
	"one worker": func() payer {
		l := &ledger{paid: map[string]bool{}}
		type job struct {
			id   string
			done chan struct{}
		}
		var once sync.Once
		jobs := make(chan job)
		return func(id string, effect func(string)) {
			once.Do(func() {
				jobs = make(chan job)
				go func() {
					for j := range jobs {
						if !l.has(j.id) {
							effect(j.id)
							l.put(j.id)
						}
						close(j.done)
						if j.id == "order-4" { // the last one
							for j := range jobs {
								close(j.done)
								return
							}
						}
					}
				}()
			})
			j := job{id, make(chan struct{})}
			jobs <- j
			<-j.done
		}
	},
}

// charges runs four orders against a service, two of which overlap, and counts.
func charges(t TB, p payer) (n [5]int) {
	run := Options{Schedule: Tape(map[Site][]Fault{
		{SiteRequest, 2, 1}: {Overlap}, {SiteRequest, 4, 1}: {Overlap},
	})}.Start(t)
	for id := range run.IDs(4) {
		if _, err := Call(run, id, func(context.Context) (string, error) { p(id, run.Effect); return id, nil }); err != nil {
			t.Fatalf("%v", err)
		}
	}
	for op, count := range effectsOf(run.History()) {
		var i int
		_, _ = fmt.Sscanf(op, "order-%d", &i)
		n[i] = count
	}
	return n
}

func TestOverlapMeets(t *testing.T) {
	for _, which := range []struct {
		services map[string]func() payer
		want     [5]int
	}{{broken, [5]int{0, 1, 2, 1, 2}}, {sound, [5]int{0, 1, 1, 1, 1}}} {
		for name, service := range which.services {
			t.Run(name, func(t *testing.T) {
				begin := time.Now()
				for i := range samples() {
					if n := charges(t, service()); n != which.want {
						t.Fatalf("try %d: charges of orders 1 to 4: %v, want %v", i, n[1:], which.want[1:])
					}
				}
				t.Logf("%v each", time.Since(begin)/time.Duration(samples()))
			})
			t.Run(name+" in a bubble", func(t *testing.T) {
				begin := time.Now()
				for i := range samples() {
					synctest.Test(t, func(t *testing.T) {
						if n := charges(t, service()); n != which.want {
							t.Fatalf("try %d: charges of orders 1 to 4: %v, want %v", i, n[1:], which.want[1:])
						}
					})
				}
				t.Logf("%v each", time.Since(begin)/time.Duration(samples()))
			})
		}
	}
}
