package traffic

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	mostSegments = 16  // of a path that is taken apart
	mostLiterals = 100 // different words at one place of a path, beyond which they are values
	sureOfIDs    = 32  // ids at one place, beyond which a long word beside them is one too
	longWord     = 12
)

// tree holds the routes by the segments of their paths. A segment that looks like
// an id is {}, and so are all at a place where there are too many different ones.
type tree struct {
	mu     sync.RWMutex
	root   *node
	routes []*route
	nodes  int
	most   int    // routes
	made   uint32 // numbers of routes
	folds  atomic.Uint32
	others *route // what is beyond the limits, or is not there (404)
}

// node is one place in paths.
type node struct {
	words  map[string]*node
	any    *node
	fixed  bool // named by the file: it stays apart
	folded bool // there were too many words here
	ids    int  // that came to any
	routes []*route
}

func (t *tree) init(o Options) {
	t.root, t.most = &node{}, o.Routes
	t.others = &route{name: "others"}
	for _, op := range o.Operations {
		n := t.root
		path, _, _ := strings.Cut(op.Path, "?")
		for segment := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			if strings.ContainsAny(segment, "{*") {
				n = n.anyone(t)
			} else {
				n = n.word(t, []byte(segment))
			}
			n.fixed = true
		}
		if n.route([]byte(op.Method)) == nil {
			t.add(n, op.Method, spelt(path)).operation = op
		}
	}
}

// spelt is a path of the file with {} for what changes.
func spelt(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, "{*") {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

func (n *node) anyone(t *tree) *node {
	if n.any == nil {
		n.any = &node{}
		t.nodes++
	}
	return n.any
}

func (n *node) word(t *tree, segment []byte) *node {
	next := n.words[string(segment)]
	if next == nil {
		next = &node{}
		t.nodes++
		if n.words == nil {
			n.words = map[string]*node{}
		}
		n.words[string(segment)] = next
	}
	return next
}

func (n *node) route(method []byte) *route {
	for _, r := range n.routes {
		if r.method == string(method) {
			return r
		}
	}
	return nil
}

// step is the place that a segment leads to; nil if there is none yet.
func (n *node) step(segment []byte) (next *node, id bool) {
	if next = n.words[string(segment)]; next != nil {
		return next, false
	}
	if n.folded || named(segment) || n.any != nil && (n.any.fixed || len(segment) >= longWord && n.ids >= sureOfIDs) {
		return n.any, true
	}
	return nil, false
}

// find is the route of a request, nil if it is new. The lock is held.
func (t *tree) find(method, path []byte) *route {
	n := t.root
	for range mostSegments {
		path = bytes.TrimPrefix(path, slash)
		segment, rest, more := bytes.Cut(path, slash)
		if n, _ = n.step(segment); n == nil {
			return nil
		}
		if !more {
			return n.route(method)
		}
		path = rest
		if len(path) == 0 { // the slash at the end is a segment of its own
			if n, _ = n.step(nil); n == nil {
				return nil
			}
			return n.route(method)
		}
	}
	return nil
}

var slash = []byte{'/'}

// make is find that adds what is new, within the limits.
func (t *tree) make(method, path []byte) *route {
	if !plausible(method) || bytes.Count(path, slash) >= mostSegments || len(path) > 1024 {
		return t.others
	}
	n, name := t.root, make([]byte, 0, len(path)+8)
	for segment := range bytes.SplitSeq(bytes.TrimPrefix(path, slash), slash) {
		if len(t.routes) >= t.most || t.nodes >= 8*t.most {
			return t.others
		}
		next, id := n.step(segment)
		switch {
		case next == nil && id:
			next = n.anyone(t)
		case next == nil:
			next = n.word(t, segment)
			if n.crowded(t) {
				n.fold(t)
				next, id = n.any, true
			}
		}
		if id {
			n.ids++
			name = append(name, "/{}"...)
		} else {
			name = append(append(name, '/'), segment...)
		}
		n = next
	}
	if r := n.route(method); r != nil {
		return r
	}
	return t.add(n, string(method), string(name))
}

func (t *tree) add(n *node, method, path string) *route {
	t.made++
	r := &route{name: method + " " + path, method: method, path: path, number: t.made}
	n.routes = append(n.routes, r)
	t.routes = append(t.routes, r)
	return r
}

// plausible keeps names of methods short and free of what could hurt a page.
func plausible(method []byte) bool {
	if len(method) == 0 || len(method) > 20 {
		return false
	}
	for _, b := range method {
		if (b < 'A' || b > 'Z') && b != '-' && b != '_' {
			return false
		}
	}
	return true
}
