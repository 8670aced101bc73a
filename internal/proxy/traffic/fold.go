package traffic

import (
	"slices"
	"strings"
)

const (
	someWords  = 20   // at one place, from which on they may be ids that look like words
	manyWords  = 40   // the same for words without a digit
	soManyPass = 2000 // requests, before words without a digit are taken for ids
)

// crowded reports whether the words at a place are rather values: there are too many
// of them, or most were seen once or twice only.
func (n *node) crowded(t *tree) bool {
	if len(n.words) > mostLiterals {
		return true
	}
	if len(n.words) <= someWords || len(n.words)%5 != 0 {
		return false
	}
	rare, digits := 0, 0
	for word, next := range n.words {
		if !next.fixed && next.requests() <= 2 {
			rare++
			if strings.ContainsAny(word, "0123456789") {
				digits++
			}
		}
	}
	most := 3 * len(n.words) / 4
	return digits >= most || rare >= most && len(n.words) >= manyWords && t.root.requests() >= soManyPass
}

// requests are those of all routes below.
func (n *node) requests() (sum int64) {
	for _, r := range n.routes {
		sum += r.requests.Load()
	}
	for _, next := range n.words {
		sum += next.requests()
	}
	if n.any != nil {
		sum += n.any.requests()
	}
	return sum
}

// fold makes {} of all words at a place, but for those that the file names. What
// was counted of them is added up.
func (n *node) fold(t *tree) {
	n.folded = true
	for word, next := range n.words {
		if next.fixed {
			continue
		}
		n.anyone(t).merge(next)
		delete(n.words, word)
	}
	n.anyone(t).rename(n.any.depth(t))
	t.routes = slices.DeleteFunc(t.routes, func(r *route) bool { return r.gone })
	t.nodes = t.root.count()
	t.folds.Add(1)
}

// merge adds another place to this one.
func (n *node) merge(other *node) {
	for _, r := range other.routes {
		if mine := n.route([]byte(r.method)); mine != nil {
			mine.merge(r)
			r.gone = true
		} else {
			n.routes = append(n.routes, r)
		}
	}
	for word, next := range other.words {
		if mine := n.words[word]; mine != nil {
			mine.merge(next)
			continue
		}
		if n.words == nil {
			n.words = map[string]*node{}
		}
		n.words[word] = next
	}
	switch {
	case n.any == nil:
		n.any = other.any
	case other.any != nil:
		n.any.merge(other.any)
	}
	n.ids += other.ids
}

// depth is which segment of a path, from 1, leads to n.
func (n *node) depth(t *tree) int { return t.root.distance(n) }

func (n *node) distance(to *node) int {
	if n == to {
		return 0
	}
	for _, next := range n.words {
		if d := next.distance(to); d >= 0 {
			return d + 1
		}
	}
	if n.any != nil {
		if d := n.any.distance(to); d >= 0 {
			return d + 1
		}
	}
	return -1
}

// rename spells one segment of the routes below as {}.
func (n *node) rename(segment int) {
	for _, r := range n.routes {
		parts := strings.Split(r.path, "/")
		if segment < len(parts) && r.operation.Name == "" {
			parts[segment] = "{}"
			r.path = strings.Join(parts, "/")
			r.name = r.method + " " + r.path
		}
	}
	for _, next := range n.words {
		next.rename(segment)
	}
	if n.any != nil {
		n.any.rename(segment)
	}
}

func (n *node) count() int {
	sum := 1
	for _, next := range n.words {
		sum += next.count()
	}
	if n.any != nil {
		sum += n.any.count()
	}
	return sum
}
