package traffic

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"io"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/history"
)

const (
	longestBody = 1 << 20 // of a body that is compared by its fields
	mostScalars = 500
	deepest     = 60
)

// scalar is one value of a document, at a pointer in which places of lists are *.
type scalar struct {
	where, value string
	text         bool
}

// document is an answer taken apart.
type document struct {
	form    string // "empty", "json", "form", "grpc", "text", "binary"
	body    []byte // decoded
	plain   []byte // canonical, where it is JSON
	scalars []scalar
	cut     bool
}

// read takes an answer apart. What it can not read stays bytes.
func read(a Answer) document {
	d := document{body: a.Body, cut: a.Cut}
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if decoded, whole, ok := decode(a.Body, a.Header.Get("Content-Encoding")); ok {
		d.body, d.cut = decoded, d.cut || !whole
	} else {
		d.form = "binary"
		return d
	}
	switch {
	case len(d.body) == 0:
		d.form = "empty"
	case strings.HasPrefix(kind, "application/grpc"):
		d.form = "grpc"
	case kind == "application/x-www-form-urlencoded":
		d.form, d.scalars = "form", formScalars(string(d.body))
	case len(d.body) <= longestBody && d.json():
		d.form = "json"
	case utf8.Valid(d.body):
		d.form = "text"
	default:
		d.form = "binary"
	}
	return d
}

func (d *document) json() bool {
	plain, ok := history.Canonical(d.body)
	if !ok {
		return false
	}
	d.plain = slices.Clone(plain)
	decoder := json.NewDecoder(bytes.NewReader(d.plain))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return false
	}
	d.add("", v, 0)
	return true
}

func (d *document) add(where string, v any, depth int) {
	if len(d.scalars) >= mostScalars || depth > deepest {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			d.add(where+"/"+token(name), v[name], depth+1)
		}
	case []any:
		for _, e := range v {
			d.add(where+"/*", e, depth+1)
		}
	case string:
		d.scalars = append(d.scalars, scalar{where, v, true})
	case json.Number:
		d.scalars = append(d.scalars, scalar{where, v.String(), false})
	case bool:
		d.scalars = append(d.scalars, scalar{where, strconv.FormatBool(v), false})
	}
}

var tokens = strings.NewReplacer("~", "~0", "/", "~1")

// token is a name as it stands in a pointer.
func token(name string) string {
	if len(name) > longestWord {
		name = name[:longestWord]
	}
	return tokens.Replace(strings.ToValidUTF8(name, "?"))
}

func formScalars(body string) (all []scalar) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range values[name] {
			if len(all) < mostScalars {
				all = append(all, scalar{"/" + token(name), v, true})
			}
		}
	}
	return all
}

// decode undoes a content coding. whole: nothing was left out.
func decode(body []byte, coding string) (decoded []byte, whole, ok bool) {
	var r io.Reader
	var err error
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
		return body, true, true
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return nil, false, false
	}
	if err != nil {
		return nil, false, len(body) == 0
	}
	decoded, err = io.ReadAll(io.LimitReader(r, longestBody+1))
	if len(decoded) > longestBody {
		return decoded[:longestBody], false, true
	}
	return decoded, err == nil, true
}
