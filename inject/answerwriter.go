package inject

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// answerWriter is the http.ResponseWriter of a handler whose answer is kept in
// memory until it returns.
type answerWriter struct {
	header http.Header
	sent   http.Header // as they were when the status was written
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *answerWriter) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic("invalid WriteHeader code " + strconv.Itoa(status))
	}
	if w.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	w.status, w.sent = status, w.Header().Clone()
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(p []byte) (int, error) {
	w.Flush()
	if !w.mayHaveBody() {
		return 0, http.ErrBodyNotAllowed
	}
	return w.body.Write(p)
}

// Flush implements http.Flusher. The caller sees nothing before the handler
// returns.
func (w *answerWriter) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

func (w *answerWriter) mayHaveBody() bool {
	return w.status >= 200 && w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// response is what the caller sees.
func (w *answerWriter) response(r *http.Request) *http.Response {
	w.Flush()
	body := w.body.Bytes()
	if h := w.sent; h["Content-Type"] == nil && h.Get("Content-Encoding") == "" && len(body) > 0 {
		h.Set("Content-Type", http.DetectContentType(body)) // as net/http does
	}
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Trailer: w.trailer(), Request: r,
		Body: newKeptBody(body), ContentLength: int64(len(body)),
	}
}

// keptBody is a body that is in memory, as a whole.
type keptBody struct {
	bytes.Reader
	all []byte
}

func newKeptBody(all []byte) *keptBody {
	b := &keptBody{all: all}
	b.Reset(all)
	return b
}

// Close implements io.Closer.
func (*keptBody) Close() error { return nil }

// trailer takes those that the handler named in the header Trailer, and those
// with the prefix of net/http.
func (w *answerWriter) trailer() (t http.Header) {
	keep := func(name string, values []string) {
		if t == nil {
			t = http.Header{}
		}
		t[http.CanonicalHeaderKey(name)] = values
	}
	for _, names := range w.sent["Trailer"] {
		for name := range strings.SplitSeq(names, ",") {
			if v := w.header.Values(strings.TrimSpace(name)); v != nil {
				keep(strings.TrimSpace(name), v)
			}
		}
	}
	for name, v := range w.header {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			keep(name, v)
		}
	}
	w.sent.Del("Trailer")
	return t
}
