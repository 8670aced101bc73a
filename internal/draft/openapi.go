package draft

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// MaxOpenAPI is how many bytes of an OpenAPI document are read.
const MaxOpenAPI = 16 << 20

// How many operations of a document are drafted, and how many of them are under test.
const (
	mostTested = 5
	mostShown  = 25
)

// FromOpenAPI drafts a file from an OpenAPI document of version 3, as JSON or
// YAML. References within it are followed, those to other files are an error.
// The address of the document's server is not taken over: it is rarely the test
// system; it stands in a comment.
func FromOpenAPI(b []byte) (f *File, err error) {
	if len(b) > MaxOpenAPI {
		return nil, fmt.Errorf("openapi: the document has %d bytes: at most %d are read", len(b), MaxOpenAPI)
	}
	defer func() {
		// The reader of the format is not ours: a document that it stumbles over is refused like any other.
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("openapi: the document can not be read (the parser failed: %v)", p)
		}
	}()
	if old.Match(b) {
		return nil, fmt.Errorf("openapi: this is Swagger 2.0: convert it to OpenAPI 3 first (for instance with swagger2openapi)")
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", short(err))
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf("openapi: want a document that begins with openapi: 3.x, got %q", doc.OpenAPI)
	}
	d := &document{doc: doc, file: &File{}}
	d.server()
	d.head()
	d.collect()
	if len(d.ops) == 0 {
		return nil, fmt.Errorf("openapi: the document has no operation that changes anything (POST, PUT, PATCH, DELETE)")
	}
	d.choose()
	return d.file, nil
}

var old = regexp.MustCompile(`(?m)^\s*"?swagger"?\s*:`)

// short is the first line of an error of the reader, which may be pages long.
func short(err error) error {
	line, _, more := strings.Cut(err.Error(), "\n")
	if r := []rune(line); len(r) > 400 {
		return errors.New(string(r[:400]) + "...")
	} else if more {
		return errors.New(line + " ...")
	}
	return err
}

// document is an OpenAPI document on its way to a file.
type document struct {
	doc  *openapi3.T
	file *File
	base string // path of the server
	ops  []*entry
}

// entry is an operation of the document.
type entry struct {
	Operation
	path    string // of the document: /orders/{order_id}/refunds
	op      *openapi3.Operation
	item    *openapi3.PathItem
	rank    int
	needs   []string // paths of the operations that must run before
	missing string   // what has no value
	blank   []string // where a stand-in stands in the body
}

// server is where the service is reached: below the path of the document's first server.
func (d *document) server() {
	address := ""
	if len(d.doc.Servers) > 0 {
		address = d.doc.Servers[0].URL
		for name, v := range d.doc.Servers[0].Variables {
			if v != nil {
				address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
			}
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		u = &url.URL{}
	}
	d.base = strings.TrimSuffix(u.EscapedPath(), "/")
	if d.base != "" && !regexp.MustCompile(`^/[A-Za-z0-9/._~-]*$`).MatchString(d.base) {
		d.base = ""
	}
	d.file.Target = "http://127.0.0.1:8080" + d.base
	if loopback(u.Hostname()) && (u.Scheme == "http" || u.Scheme == "https") {
		d.file.Target = u.Scheme + "://" + u.Host + d.base
	} else if u.Host != "" {
		d.file.Notes = append(d.file.Notes, "target: is this machine; the document's own server "+u.Host+" was not taken over. Put the address of a test system there, and its host under allow:")
	}
}

func (d *document) head() {
	title := "an OpenAPI document"
	if d.doc.Info != nil && d.doc.Info.Title != "" {
		title = "the OpenAPI document " + strings.TrimSpace(d.doc.Info.Title+" "+d.doc.Info.Version)
	}
	d.file.Head = append(d.file.Head, "Made from "+title+". What was guessed has a comment: read it through, then run\n  idemcheck doctor")
	d.file.Head = append(d.file.Head, d.file.Notes...)
}

// collect drafts every operation that changes something, in the order of paths.
func (d *document) collect() {
	for _, path := range d.doc.Paths.Keys() {
		item := d.doc.Paths.Value(path)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if op := item.GetOperation(method); op != nil {
				e := &entry{path: path, op: op, item: item}
				e.Method, e.Name = method, d.name(op, method, path)
				d.ops = append(d.ops, e)
			}
		}
	}
	for _, e := range d.ops {
		d.draft(e)
	}
	d.vendor()
	for _, e := range d.ops {
		e.identity()
		e.rank = e.interest()
	}
}

var illegal = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// name is the operation's own, made legal, else one from its path; each only once.
func (d *document) name(op *openapi3.Operation, method, path string) string {
	name := strings.Trim(illegal.ReplaceAllString(op.OperationID, "-"), "-")
	if name == "" {
		name = nameOf(method, path)
	}
	free := name
	for n := 2; slices.ContainsFunc(d.ops, func(e *entry) bool { return e.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}
