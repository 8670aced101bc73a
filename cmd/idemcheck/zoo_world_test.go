package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// world is where effects happen: it counts them by scope and id.
type world struct {
	url      string
	end      func()
	provider string // where the card provider listens

	mu       sync.Mutex
	effects  map[string]int
	versions map[string]string
	n        int
}

func newWorld() *world {
	w := &world{effects: map[string]int{}, versions: map[string]string{}}
	s := httptest.NewServer(http.HandlerFunc(w.count))
	w.url, w.end = s.URL, s.Close
	return w
}

func (w *world) count(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := r.Header.Get("Authorization") + r.URL.Path
	say(rw, 200, map[string]any{"n": w.effects[at], "version": w.versions[at]})
}

// do makes an effect for an id in the scope of a request.
func (w *world) do(r *http.Request, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects[r.Header.Get("Authorization")+"/"+id]++
}

// set makes an effect that is a state: it is there once, however often it is set.
func (w *world) set(r *http.Request, id, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := r.Header.Get("Authorization") + "/" + id
	w.effects[at], w.versions[at] = 1, version
}

// next is a number that was not drawn before.
func (w *world) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return 4100 + w.n
}

// charge calls the card provider: its status, 0 if it did not answer.
func (w *world) charge(id, key string) int {
	req, err := http.NewRequest("POST", w.provider+"/charges", strings.NewReader(fmt.Sprintf(`{"order":%q,"amount":5}`, id)))
	if err != nil {
		return 0
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// read gives the body of a request and its fields; whole is false if its sender left.
func read(r *http.Request) (raw []byte, fields map[string]any, whole bool) {
	raw, err := io.ReadAll(r.Body)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.Decode(&fields)
	return raw, fields, err == nil
}

func str(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

type m = map[string]any
