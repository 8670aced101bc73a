package inject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// reply is an answer that can be written again, byte for byte.
type reply struct {
	status int
	body   []byte
	marker string // a header line that marks a replay
}

func (a reply) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	if name, value, ok := strings.Cut(a.marker, ":"); ok {
		w.Header().Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the caller may be gone
}

// breakOff ends the connection with a reset instead of an answer.
func breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // no connection to break (HTTP/2): the server aborts the stream
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func problem(code, message string) []byte {
	b, _ := json.Marshal(map[string]map[string]string{"error": {"code": code, "message": message}})
	return append(b, '\n')
}

// object is the answer by default: an id and a status, then the fields of the request.
func (p *Provider) object(c ProviderCall) []byte {
	_, path, _ := strings.Cut(p.Effect, " ")
	kind := path[strings.LastIndexByte(path, '/')+1:]
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":"%s_%d","status":"succeeded"`, letters(kind), c.Number)
	root := parse(c.Body)
	switch {
	case root != nil && root.kind == '{':
		for i, name := range root.names {
			if n := unquote(name); n != "id" && n != "status" {
				fmt.Fprintf(&b, ",%s:%s", name, root.kids[i].raw)
			}
		}
	case root == nil:
		writeForm(&b, c.Body)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// letters is the prefix of object ids: ch for charges.
func letters(kind string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(kind) {
		if r >= 'a' && r <= 'z' && b.Len() < 2 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func writeForm(b *bytes.Buffer, body []byte) {
	for _, pair := range strings.Split(string(body), "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err == nil && err2 == nil && n != "" && n != "id" && n != "status" {
			q, _ := json.Marshal(n)
			t, _ := json.Marshal(v)
			fmt.Fprintf(b, ",%s:%s", q, t)
		}
	}
}

var errPlace = errors.New(`legal are "body /pointer", "header NAME", "query NAME"`)

// checkPlace tells whether a text names a place in a request.
func checkPlace(s string) error {
	kind, name, _ := strings.Cut(s, " ")
	switch {
	case kind == "body" && (strings.HasPrefix(name, "/") || name != "" && !strings.Contains(name, " ")),
		(kind == "header" || kind == "query") && name != "" && !strings.Contains(name, " "):
		return nil
	}
	return fmt.Errorf("%q names no place in a request, %w", s, errPlace)
}

// place is the text at a place in a request, "" if there is none. A body that is
// not JSON is taken as a form; the pointer /a/b then names the field a[b], /a the field a.
func place(s string, r *http.Request, body []byte) string {
	kind, name, _ := strings.Cut(s, " ")
	switch kind {
	case "header":
		return r.Header.Get(name)
	case "query":
		return r.URL.Query().Get(name)
	}
	if root := parse(body); root != nil {
		return root.text("/" + strings.TrimPrefix(name, "/"))
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	steps := strings.Split(strings.TrimPrefix(name, "/"), "/")
	field := steps[0]
	for _, step := range steps[1:] {
		field += "[" + step + "]"
	}
	return form.Get(field)
}

// text is a text or number at a pointer; "" for anything else.
func (n *node) text(pointer string) string {
	if n == nil {
		return ""
	}
	switch n = n.find(pointer); {
	case n == nil:
		return ""
	case n.kind == '"':
		return unquote(n.raw)
	case n.kind == '0':
		return string(n.raw)
	}
	return ""
}
