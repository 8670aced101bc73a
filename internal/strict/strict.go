// Package strict reads YAML that people write by hand, and says exactly where
// and how it is wrong. Parse hands the document to a function that walks it;
// each accessor of a Value that meets something it can not take records an
// error with its place and returns a zero, so that the walk goes on and the
// reader of the file learns of several mistakes at once:
//
//	err := strict.Parse("plan.yaml", b, func(v strict.Value) {
//		p.Name = v.Need("name").Text()
//		for _, f := range v.Fields("name", "steps") { ... }
//	})
//
// It takes a small, plain part of YAML: one document, no anchors, aliases,
// merge keys or tags, at most 256 KiB and 100 levels.
package strict

// Kind says what a Value is.
type Kind int

// The kinds of values. None is that of a value which is not in the file.
const (
	None Kind = iota
	Null
	Text // also what YAML would take for a date or the like
	Number
	Bool
	List
	Map
)

var kindNames = [...]string{"nothing", "nothing", "text", "a number", "true or false", "a list", "a mapping"}

func (k Kind) String() string { return kindNames[k] }

// The limits of a document.
const (
	MaxBytes = 256 << 10
	MaxDepth = 100
)

// Value is a node of a document. The zero Value is one that is not there: its
// accessors return zeros and record nothing.
type Value struct {
	doc *document
	n   *node
}

// node is a value with the place where it begins; line and column count from
// 1, columns in characters.
type node struct {
	kind         Kind
	text         string // of a scalar, as written
	quoted       bool   // Text in quotes, or a block
	bad          bool   // an error was recorded already: say no more
	line, column int
	fields       []Field
	items        []Value
}

// Field is one field of a mapping.
type Field struct {
	Name  string
	Key   Value // the name, for errors about it
	Value Value
}

// Kind says what the value is.
func (v Value) Kind() Kind {
	if v.n == nil {
		return None
	}
	return v.n.kind
}

// Exists tells whether the value is in the file; a field without a value (null) is.
func (v Value) Exists() bool { return v.Kind() != None }

// Line is where the value begins, from 1; 0 if it is not in the file.
func (v Value) Line() int {
	if v.n == nil {
		return 0
	}
	return v.n.line
}

// Column is where in its line the value begins, from 1, in characters; 0 if it
// is not in the file.
func (v Value) Column() int {
	if v.n == nil {
		return 0
	}
	return v.n.column
}

// Quoted tells whether a text is in quotes or a block (| or >).
func (v Value) Quoted() bool { return v.n != nil && v.n.quoted }
