package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"time"
)

// shelf keeps answers by key, as most services do, with the choices that they
// make. Its zero value waits for one that is in flight, compares payloads as
// JSON, and keeps what is not 5xx for ever.
type shelf struct {
	key      func(r *http.Request, fields m) string // nil: header Idempotency-Key, bare
	fold     func(string) string                    // what is the same in keys
	check    func(key string) int                   // a status that refuses the key; 0: it is good
	missing  int                                    // the status without a key; 0: it runs unprotected
	busy     int                                    // the status while one is in flight; 0: it waits
	after    string                                 // Retry-After beside busy
	mismatch int                                    // the status of another payload; 0: it is not compared
	reason   string                                 // its words
	keeps    func(status int) bool                  // which outcomes are kept; nil: all but 5xx
	life     time.Duration                          // 0: for ever
	expired  int                                    // the status of a key past its life; 0: it is new
	replayed func(rec *record) *record              // how a kept answer is given again; nil: as it was
	work     func(w http.ResponseWriter, r *http.Request, fields m)

	mu      sync.Mutex
	records map[string]*record
}

type record struct {
	payload m
	done    chan struct{}
	end     time.Time
	status  int
	header  http.Header
	body    []byte
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, fields, whole := read(r)
	key := s.keyOf(r, fields)
	switch {
	case !whole:
		return
	case key == "" && s.missing != 0:
		say(w, s.missing, m{"error": "a key is needed"})
		return
	case key == "":
		s.work(w, r, fields)
		return
	}
	if s.check != nil {
		if status := s.check(key); status != 0 {
			say(w, status, m{"error": "that is no key"})
			return
		}
	}
	if s.fold != nil {
		key = s.fold(key)
	}
	s.keyed(w, r, r.Header.Get("Authorization")+" "+r.Method+" "+r.URL.Path+" "+key, fields)
}

func (s *shelf) keyOf(r *http.Request, fields m) string {
	if s.key != nil {
		return s.key(r, fields)
	}
	return r.Header.Get("Idempotency-Key")
}

func (s *shelf) keyed(w http.ResponseWriter, r *http.Request, key string, fields m) {
	rec, mine := s.claim(key, fields)
	if mine {
		s.first(w, r, key, rec, fields)
		return
	}
	if s.mismatch != 0 && !reflect.DeepEqual(rec.payload, fields) {
		say(w, s.mismatch, m{"error": cmp.Or(s.reason, "the key was used for something else")})
		return
	}
	select {
	case <-rec.done:
	default:
		if s.busy != 0 {
			if s.after != "" {
				w.Header().Set("Retry-After", s.after)
			}
			say(w, s.busy, m{"error": "in progress"})
			return
		}
		<-rec.done
	}
	if !s.kept(rec.status) {
		s.keyed(w, r, key, fields) // the first failed: this one takes its place
		return
	}
	if s.expired != 0 && s.old(rec) {
		say(w, s.expired, m{"error": "the key has expired"})
		return
	}
	if s.replayed != nil {
		rec = s.replayed(rec)
	}
	rec.write(w)
}

// claim is the record of the key, and whether the caller is to do the work.
func (s *shelf) claim(key string, fields m) (*record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := s.records[key]
	if rec != nil && (s.expired != 0 || !s.old(rec)) {
		return rec, false
	}
	if s.records == nil {
		s.records = map[string]*record{}
	}
	rec = &record{payload: fields, done: make(chan struct{})}
	s.records[key] = rec
	return rec, true
}

func (s *shelf) old(rec *record) bool {
	select {
	case <-rec.done:
		return s.life > 0 && time.Since(rec.end) >= s.life
	default:
		return false
	}
}

func (s *shelf) kept(status int) bool {
	if s.keeps != nil {
		return s.keeps(status)
	}
	return status < 500
}

func (s *shelf) first(w http.ResponseWriter, r *http.Request, key string, rec *record, fields m) {
	got := httptest.NewRecorder()
	s.work(got, r, fields)
	s.mu.Lock()
	rec.status, rec.header, rec.body, rec.end = got.Code, got.Header(), got.Body.Bytes(), time.Now()
	if !s.kept(rec.status) {
		delete(s.records, key)
	}
	close(rec.done)
	s.mu.Unlock()
	rec.write(w)
}

func (rec *record) write(w http.ResponseWriter) {
	for name, values := range rec.header {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.status)
	w.Write(rec.body)
}

// again is a copy with another field in its answer.
func (rec *record) again(name string, value any) *record {
	var fields m
	json.Unmarshal(rec.body, &fields)
	fields[name] = value
	b, _ := json.Marshal(fields)
	return &record{status: rec.status, header: rec.header, body: append(bytes.Clone(b), '\n')}
}

// order is the ordinary work: an effect, and an answer with an id.
func order(w *world) func(http.ResponseWriter, *http.Request, m) {
	return func(rw http.ResponseWriter, r *http.Request, fields m) {
		time.Sleep(3 * time.Millisecond)
		w.do(r, str(fields["order"]))
		say(rw, 201, m{"id": "or_" + base36(w.next()), "order": fields["order"], "status": "placed"})
	}
}

// base36 is a short name for a number.
func base36(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	var b strings.Builder
	for n = n*7919 + 11; n > 0; n /= 36 {
		b.WriteByte(digits[n%36])
	}
	return b.String()
}
