package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// stub is a sound service in memory that is made from an OpenAPI document: it
// refuses what the document forbids, answers what it promises, does nothing
// twice for one key, and lists what it did.
type stub struct {
	doc  *openapi3.T
	base string

	mu   sync.Mutex
	n    int
	done map[string]answer // by operation and key
	rows []row
}

type answer struct {
	status int
	body   []byte
	replay bool
	key    string
}

// row is something that the stub did: for which key, and with which text.
type row struct{ thing, key, text string }

func newStub(b []byte) (*stub, error) {
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		return nil, err
	}
	s := &stub{doc: doc, done: map[string]answer{}}
	if len(doc.Servers) > 0 {
		u, err := url.Parse(doc.Servers[0].URL)
		if err != nil {
			return nil, err
		}
		s.base = strings.TrimSuffix(u.Path, "/")
	}
	return s, nil
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	a := s.answer(r, body)
	if a.replay {
		w.Header().Set("Idempotent-Replayed", "true") // as Stripe has it
		w.Header().Set("Idempotency-Key", a.key)      // as Adyen has it
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	w.Write(a.body)
}

func refuse(status int, format string, args ...any) answer {
	b, _ := json.Marshal(map[string]string{"error": fmt.Sprintf(format, args...)})
	return answer{status: status, body: b}
}

func (s *stub) answer(r *http.Request, body []byte) answer {
	path := strings.TrimPrefix(r.URL.Path, s.base)
	if q := r.URL.Query(); r.Method == http.MethodGet && (q.Has("order_id") || q.Has("idempotency_key")) {
		return s.list(lastWord(path), q)
	}
	op, template := s.route(r.Method, path)
	if op == nil {
		return refuse(404, "there is no %s %s", r.Method, path)
	}
	if !s.loggedIn(op, r) {
		return refuse(401, "who is it?")
	}
	sent, err := s.body(op, r, body)
	if err != nil {
		return refuse(400, "%v", err)
	}
	key := keyOf(r, sent)
	done := r.Method + " " + path + " " + key
	if key == "" {
		done += string(body) // the same without a key is the same
	}
	if a, ok := s.done[done]; ok {
		a.replay, a.key = true, key
		return a
	}
	a := s.made(op)
	if a.status < 300 {
		s.done[done] = a
		s.rows = append(s.rows, row{lastWord(template), key, path + " " + string(body)})
	}
	return a
}

// list is what was done for a key, or with an id in the request.
func (s *stub) list(thing string, q url.Values) answer {
	found := []int{}
	id := regexp.MustCompile(regexp.QuoteMeta(q.Get("order_id")) + `\b`) // order 1 is not order 11
	for i, row := range s.rows {
		if thing == row.thing && (q.Has("idempotency_key") && row.key == q.Get("idempotency_key") ||
			q.Has("order_id") && id.MatchString(row.text)) {
			found = append(found, i)
		}
	}
	b, _ := json.Marshal(map[string]any{"data": found})
	return answer{status: 200, body: b}
}

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// lastWord is the last part of a path that names something, as tables are named.
func lastWord(path string) (last string) {
	for part := range strings.SplitSeq(path, "/") {
		if word.MatchString(part) && part != "create" {
			last = strings.ToLower(strings.ReplaceAll(part, "-", "_"))
		}
	}
	if !strings.HasSuffix(last, "s") || strings.HasSuffix(last, "ss") {
		last += "s"
	}
	return last
}

// route is the operation of a path; one without parameters comes first.
func (s *stub) route(method, path string) (*openapi3.Operation, string) {
	want := strings.Split(path, "/")
	for _, literal := range []bool{true, false} {
		for _, template := range s.doc.Paths.Keys() {
			op := s.doc.Paths.Value(template).GetOperation(method)
			parts := strings.Split(template, "/")
			if op == nil || len(parts) != len(want) || literal == strings.Contains(template, "{") {
				continue
			}
			matches := func(i int) bool { return parts[i] == want[i] || strings.HasPrefix(parts[i], "{") && want[i] != "" }
			fits := true
			for i := range parts {
				fits = fits && matches(i)
			}
			if fits {
				return op, template
			}
		}
	}
	return nil, ""
}

// loggedIn tells whether one of the ways to log in that the document offers was used.
func (s *stub) loggedIn(op *openapi3.Operation, r *http.Request) bool {
	ways := s.doc.Security
	if op.Security != nil {
		ways = *op.Security
	}
	return len(ways) == 0 || slices.ContainsFunc(ways, func(way openapi3.SecurityRequirement) bool {
		for name := range way {
			if ref := s.doc.Components.SecuritySchemes[name]; ref == nil || !carries(ref.Value, r) {
				return false
			}
		}
		return true
	})
}

func carries(scheme *openapi3.SecurityScheme, r *http.Request) bool {
	begins := map[string]string{"basic": "Basic ", "bearer": "Bearer "}[strings.ToLower(scheme.Scheme)]
	switch {
	case scheme.Type != "apiKey":
		v := r.Header.Get("Authorization")
		return strings.HasPrefix(v, begins) && len(v) > len("Bearer ")
	case scheme.In == "header":
		return r.Header.Get(scheme.Name) != ""
	case scheme.In == "query":
		return r.URL.Query().Get(scheme.Name) != ""
	}
	_, err := r.Cookie(scheme.Name)
	return err == nil
}

// body reads a request's body and checks it by the document.
func (s *stub) body(op *openapi3.Operation, r *http.Request, body []byte) (map[string]any, error) {
	if op.RequestBody == nil || op.RequestBody.Value == nil {
		return nil, nil
	}
	if len(body) == 0 && !op.RequestBody.Value.Required {
		return nil, nil
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	media := op.RequestBody.Value.Content[kind]
	if media == nil {
		return nil, fmt.Errorf("the body is %q", kind)
	}
	if strings.HasSuffix(kind, "form-urlencoded") {
		return form(media.Schema.Value, string(body))
	}
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	options := append(s.doc.GetSchemaValidationOptions(), openapi3.VisitAsRequest())
	return sent, media.Schema.Value.VisitJSON(sent, options...)
}

// form checks the names of a form, and that what is required is there.
func form(schema *openapi3.Schema, body string) (map[string]any, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil, err
	}
	sent := map[string]any{}
	for name, v := range values {
		top, _, _ := strings.Cut(name, "[")
		if schema.Properties[top] == nil {
			return nil, fmt.Errorf("unknown parameter %s", name)
		}
		sent[top] = v[0]
	}
	for _, name := range schema.Required {
		if sent[name] == nil {
			return nil, fmt.Errorf("missing parameter %s", name)
		}
	}
	return sent, nil
}

// keyOf is the idempotency key of a request.
func keyOf(r *http.Request, sent map[string]any) string {
	for name, v := range r.Header {
		if strings.Contains(strings.ToLower(name), "idempotency-key") {
			return v[0]
		}
	}
	key, _ := sent["idempotency_key"].(string)
	return key
}
