package config

import (
	"cmp"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// readyStarted is the word for a worker that shows nothing by which it can be
// seen that it is ready.
const readyStarted = "started"

// ready is how it is seen that a worker can take work.
func (r *reader) ready(key, v strict.Value) (w worker.Ready) {
	switch v.Kind() {
	case strict.None:
		return r.readyTarget(key)
	case strict.Text:
		if v.Text() != readyStarted {
			w.URL = r.readyURL(v)
		}
		return w
	case strict.Map:
	default:
		v.Errorf("must be a request such as GET /healthz, or started, or {addr: 127.0.0.1:8080}, or {line: listening}")
		return w
	}
	v.Fields("http", "addr", "line", "within")
	if d := v.Field("within"); d.Exists() {
		w.Within = d.Duration()
		positive(d, w.Within > 0)
	}
	if !v.Field("http").Exists() && !v.Field("addr").Exists() && !v.Field("line").Exists() {
		w.Addr = r.readyTarget(key).Addr
		return w
	}
	switch r.oneOf(v, v, "ready", []string{"http", "addr", "line"}) {
	case "http":
		w.URL = r.readyURL(v.Field("http"))
	case "addr":
		w.Addr = r.readyAddr(v.Field("addr"))
	case "line":
		w.Line = readyLine(v.Field("line"))
	}
	return w
}

// readyTarget is what is waited for where nothing is said: that the target
// accepts connections. This shows something of one worker only.
func (r *reader) readyTarget(key strict.Value) (w worker.Ready) {
	if len(r.file.Workers) > 0 {
		key.Errorf("worker %s must say when it is ready (the first one is when the target accepts connections): add  ready: GET http://127.0.0.1:8081/healthz , or  ready: {line: listening} , or  ready: started", key.Text())
		return w
	}
	u, err := url.Parse(r.file.Target)
	if err != nil || u.Host == "" {
		return w // it is a mistake of its own
	}
	w.Addr = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
	return w
}

// readyURL is "GET /healthz" on the target, or a URL.
func (r *reader) readyURL(v strict.Value) string {
	text := r.plain(v, true)
	if method, rest, found := strings.Cut(text, " "); found {
		if text = strings.TrimSpace(rest); method != "GET" {
			v.Errorf("it is asked with GET, got %q", method)
			return ""
		}
	}
	if text == "" {
		return ""
	}
	if strings.HasPrefix(text, "/") && r.file.Target != "" {
		text = r.file.Target + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		v.Errorf("must be a request such as GET /healthz, a URL, or started; got %q", hidePassword(text))
		return ""
	}
	r.touch(v, u.Hostname())
	return text
}

func (r *reader) readyAddr(v strict.Value) string {
	addr := r.plain(v, false)
	host, port, err := net.SplitHostPort(addr)
	switch n, bad := strconv.Atoi(port); {
	case addr == "":
	case err != nil || host == "" || bad != nil || n < 1 || n > 65535:
		v.Errorf("must be a host and a port, as in 127.0.0.1:8080; got %q", addr)
	default:
		r.touch(v, host)
	}
	return addr
}

func readyLine(v strict.Value) string {
	text := v.Text()
	if _, err := regexp.Compile(text); err != nil {
		v.Errorf("is no regular expression: %v", err)
	} else if text == "" {
		v.Errorf("must be a regular expression that a line of the worker's output matches, as in  {line: listening}")
	}
	return text
}
