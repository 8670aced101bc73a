package main

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// shapes are sound services that differ in what their answers look like.
var shapes = []animal{
	{name: "numeric-id", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		say(w, 201, m{"id": n, "order": f["order"], "amount": f["amount"]})
	})},
	{name: "nested-id", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		say(w, 200, m{"data": m{"type": "order", "attributes": m{"ref": f["order"]}, "links": m{"self": fmt.Sprintf("/orders/%d", n)}, "lines": []m{{"line_id": n * 10}, {"line_id": n*10 + 1}}}})
	})},
	{name: "array", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		say(w, 200, []m{{"id": n}})
	})},
	{name: "text", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(201)
		fmt.Fprintf(w, "order %s accepted under number %d\n", f["order"], n)
	})},
	{name: "xml", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, "<order><id>%d</id><ref>%s</ref></order>", n, f["order"])
	})},
	{name: "empty-204", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		w.WriteHeader(204)
	})},
	{name: "see-other", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		w.Header().Set("Location", fmt.Sprintf("/orders/%d", n))
		w.WriteHeader(303)
	})},
	{name: "location-only", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: answering(func(w http.ResponseWriter, n int, f m) {
		w.Header().Set("Location", fmt.Sprintf("/orders/%d", n))
		w.WriteHeader(201)
	})},
	{name: "cents-as-text", known: true, contract: "{replay: verbatim, mismatch: 422}", file: `operations:
  order:
    send: POST /orders
    body: {order: "${id}", cents: "1250", rate: 0.125, lines: [{sku: A, n: "2"}]}
`, serve: answering(func(w http.ResponseWriter, n int, f m) {
		say(w, 201, m{"id": fmt.Sprint("or_x", n), "cents": f["cents"], "fee": 0.3})
	})},
	{name: "fresh-times", known: true, contract: "{replay: current, mismatch: 422}", serve: func(w *world) http.Handler {
		return wrapped(&shelf{mismatch: 422, work: order(w), replayed: func(rec *record) *record {
			return rec.again("served_at", time.Now().Format(time.RFC3339Nano)).again("request_id", base36(w.next()))
		}}, func(rw http.ResponseWriter) {
			rw.Header().Set("X-Request-Id", base36(w.next()))
			rw.Header().Set("Date", time.Now().Format(http.TimeFormat))
		})
	}},
	{name: "request-id-always", known: true, contract: "{replay: current, mismatch: 422}", serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422}
		s.replayed = func(rec *record) *record { return rec.again("request_id", base36(w.next())) }
		s.work = func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(3 * time.Millisecond)
			w.do(r, str(f["order"]))
			say(rw, 201, m{"id": "or_" + base36(w.next()), "request_id": base36(w.next()), "at": time.Now()})
		}
		return s
	}},
	{name: "grows-old", known: true, contract: "{replay: current, mismatch: 422}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), replayed: func(rec *record) *record { return rec.again("status", "shipped") }}
	}},
	{name: "remapped", known: true, contract: "{replay: remapped, mismatch: 422, marker: 201->200}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), replayed: func(rec *record) *record {
			return &record{status: 200, header: rec.header, body: rec.body}
		}}
	}},
	{name: "http-1.0", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		return oldStyle(&shelf{mismatch: 422, work: order(w)})
	}},
	{name: "closes", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		return wrapped(&shelf{mismatch: 422, work: order(w)}, func(rw http.ResponseWriter) { rw.Header().Set("Connection", "close") })
	}},
	{name: "chunked", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { s.ServeHTTP(dribble{rw}, r) })
	}},
	{name: "gzip-if-asked", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				s.ServeHTTP(rw, r)
				return
			}
			rw.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(rw)
			s.ServeHTTP(zipped{rw, z}, r)
			z.Close()
		})
	}},
}

// answering is a sound service with answers of its own.
func answering(answer func(w http.ResponseWriter, n int, fields m)) func(*world) http.Handler {
	return func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(3 * time.Millisecond)
			w.do(r, str(f["order"]))
			answer(rw, w.next(), f)
		}}
	}
}

func wrapped(h http.Handler, before func(http.ResponseWriter)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		before(rw)
		h.ServeHTTP(rw, r)
	})
}

// oldStyle answers in HTTP/1.0 and hangs up.
func oldStyle(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got := &record{status: 200, header: http.Header{}}
		h.ServeHTTP(got.recorder(), r)
		c, buf, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(buf, "HTTP/1.0 %d %s\r\n", got.status, http.StatusText(got.status))
		got.header.Write(buf)
		fmt.Fprintf(buf, "\r\n%s", got.body)
		buf.Flush()
	})
}

type recording struct{ *record }

func (rec *record) recorder() http.ResponseWriter { return recording{rec} }

func (r recording) Header() http.Header         { return r.header }
func (r recording) WriteHeader(status int)      { r.status = status }
func (r recording) Write(b []byte) (int, error) { r.body = append(r.body, b...); return len(b), nil }

// dribble sends a body in small pieces.
type dribble struct{ http.ResponseWriter }

func (d dribble) Write(b []byte) (n int, err error) {
	for i := range b {
		if _, err := d.ResponseWriter.Write(b[i : i+1]); err != nil {
			return i, err
		}
		if i%16 == 0 {
			d.ResponseWriter.(http.Flusher).Flush()
		}
	}
	return len(b), nil
}

type zipped struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (z zipped) Write(b []byte) (int, error) { return z.z.Write(b) }
