package inject

import (
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadGoroutine(t *testing.T) {
	for text, want := range map[string]seen{
		"goroutine 7 [running]:\nmain.main()\n\t/x.go:1 +0x1d":                                                         {number: 7, motion: moving},
		"goroutine 7 [sync.Mutex.Lock]:\nf()\n\t/x.go:1\ncreated by main.main in goroutine 6\n\t/x.go:2 +0x1":          {number: 7, parent: 6, motion: locked},
		"goroutine 17 [select, 2 minutes, locked to thread]:\nf()\n\t/x.go:1\ncreated by a in goroutine 12\n\t/x.go:2": {number: 17, parent: 12, motion: still},
		"goroutine 9 [chan receive (durable), synctest bubble 3]:\nf()":                                                {number: 9, bubble: 3, motion: still, durable: true},
		"goroutine 9 [sleep (durable), 1 minutes, synctest bubble 12]:\nf()":                                           {number: 9, bubble: 12, motion: outside, durable: true},
		"goroutine 9 [IO wait (scan)]:\nf()":                                                                           {number: 9, motion: outside},
		"goroutine 9 [something new]:\nf()":                                                                            {number: 9, motion: moving},
		"":                                                                                                             {},
	} {
		if got := readGoroutine([]byte(text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// until waits until a goroutine that this one started is seen in a motion. The
// words are the runtime's: this test fails when they change.
func until(t *testing.T, what string, m motion, durable bool) {
	t.Helper()
	me := goroutine()
	var last []seen
	for range 100_000 {
		last = last[:0]
		for _, g := range goroutines() {
			if g.parent == me {
				last = append(last, g)
				if g.motion == m && g.durable == durable {
					return
				}
			}
		}
		runtime.Gosched()
	}
	t.Errorf("%s is not seen as it is: %+v", what, last)
}

func TestGoroutinesAreSeenAsTheyAre(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	var none sync.WaitGroup
	none.Add(1)
	stop := make(chan bool)
	var awake atomic.Bool
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what    string
		motion  motion
		do, end func()
	}{
		{"a lock", locked, func() { mu.Lock(); defer mu.Unlock() }, mu.Unlock},
		{"a reading lock", locked, func() { rw.RLock(); defer rw.RUnlock() }, rw.Unlock},
		{"a channel", still, func() { <-stop }, func() { stop <- true }},
		{"a choice", still, func() {
			select {
			case <-stop:
			case stop <- true:
			}
		}, func() { <-stop }},
		{"a group", still, none.Wait, none.Done},
		{"a sleep", outside, func() {
			for !awake.Load() {
				time.Sleep(10 * time.Millisecond)
			}
		}, func() { awake.Store(true) }},
		{"the network", outside, func() { _, _ = l.Accept() }, func() { _ = l.Close() }},
	} {
		mu.TryLock()
		rw.TryLock()
		var one sync.WaitGroup
		one.Go(test.do)
		until(t, test.what, test.motion, false)
		test.end()
		one.Wait()
	}
}

func TestGoroutinesOfABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		mu.Lock()
		stop := make(chan bool)
		go func() { <-stop }()
		until(t, "a channel", still, true)
		stop <- true
		go func() { mu.Lock(); defer mu.Unlock() }()
		until(t, "a lock", locked, false)
		mu.Unlock()
		if _, bubble := here(); !bubble {
			t.Error("not seen as a bubble")
		}
	})
	if _, bubble := here(); bubble {
		t.Error("seen as a bubble")
	}
}
