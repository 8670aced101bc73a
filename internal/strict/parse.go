package strict

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Parse reads one document and hands it to read, which walks it. The error is
// an *Error, or several joined in the order of the file (at most ten): those
// of YAML, else those that read met.
func Parse(file string, b []byte, read func(Value)) error {
	d := &document{file: file}
	if root, ok := d.parse(b); ok {
		read(root)
	}
	return d.err()
}

func (d *document) parse(b []byte) (Value, bool) {
	if len(b) > MaxBytes {
		d.errorAt(0, 0, fmt.Sprintf("%d bytes are too many: at most %d are read", len(b), MaxBytes))
		return Value{}, false
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	d.lines = strings.Split(text, "\n")
	if !d.legible() {
		return Value{}, false
	}
	body := d.tree(text)
	if body == nil {
		return Value{}, false
	}
	root := d.value(body, 1)
	return root, len(d.errors) == 0
}

// legible refuses bytes that are no text.
func (d *document) legible() bool {
	for i, line := range d.lines {
		if !utf8.ValidString(line) {
			good := len(line) - len(strings.TrimLeftFunc(line, func(r rune) bool { return r != utf8.RuneError }))
			d.errorAt(i+1, utf8.RuneCountInString(line[:good])+1, "not UTF-8 text")
			return false
		}
		if at := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); at >= 0 {
			d.errorAt(i+1, utf8.RuneCountInString(line[:at])+1, fmt.Sprintf("control character %U", line[at]))
			return false
		}
	}
	return true
}

// tree is the document's root, or nil and an error is recorded.
func (d *document) tree(text string) (body ast.Node) {
	defer func() {
		// The parser is not ours: a document that it stumbles over is refused like any other.
		if p := recover(); p != nil {
			d.errorAt(0, 0, fmt.Sprintf("can not be read as YAML (the parser failed: %v)", p))
			body = nil
		}
	}()
	tokens := lexer.Tokenize(text)
	if d.tooDeep(tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.syntax(err, tokens)
		return nil
	}
	return d.only(file.Docs)
}

// only is the body of the one document of a file.
func (d *document) only(docs []*ast.DocumentNode) ast.Node {
	var body ast.Node
	for _, doc := range docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			line, column := place(doc.Start)
			d.errorAt(line, column, "a second document begins here: one file holds one")
			return nil
		default:
			body = doc.Body
		}
	}
	if body == nil {
		d.errorAt(0, 0, "the file is empty")
	}
	return body
}

// tooDeep finds nesting that would keep the parser busy for minutes. Blocks
// nest by indentation, so only brackets and dashes on one line can be deep.
func (d *document) tooDeep(tokens token.Tokens) bool {
	flow, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			dashes, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			dashes++
		}
		if flow > MaxDepth || dashes > MaxDepth {
			line, column := place(t)
			d.errorAt(line, column, fmt.Sprintf("nested too deeply: at most %d levels are read", MaxDepth))
			return true
		}
	}
	return false
}

// syntax records an error of the parser in our form.
func (d *document) syntax(err error, tokens token.Tokens) {
	if line, column, ok := bareTemplate(tokens); ok {
		d.errorAt(line, column, `a template between { } or [ ] must be in quotes, as in {Authorization: "Bearer ${TOKEN}"}`)
		return
	}
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		d.errorAt(0, 0, fmt.Sprintf("can not be read as YAML: %v", err))
		return
	}
	line, column := place(at.GetToken())
	d.errorAt(line, column, explain(at.GetMessage()))
}

// bareTemplate finds the first ${ without quotes within brackets, where YAML
// takes the brace for one of its own.
func bareTemplate(tokens token.Tokens) (line, column int, ok bool) {
	flow := 0
	for i, t := range tokens {
		switch t.Type {
		case token.MappingStartType:
			if flow > 0 && i > 0 && tokens[i-1].Type == token.StringType && strings.HasSuffix(tokens[i-1].Value, "$") {
				line, column = place(t)
				return line, column - 1, true
			}
			flow++
		case token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		}
	}
	return 0, 0, false
}

// explain adds to the parser's words what usually helps.
func explain(msg string) string {
	switch {
	case strings.Contains(msg, "that cannot start any token") && strings.Contains(msg, "\t"):
		return "a tab indents this line: YAML takes only spaces"
	case strings.Contains(msg, "mapping value is not allowed"):
		return `"name: value" can not stand here: put a text that holds ": " in quotes, and indent fields of one mapping alike`
	case strings.Contains(msg, "is a reserved character"):
		return msg + ": put the text in quotes"
	}
	return msg
}

// place is where a token stands, from 1.
func place(t *token.Token) (line, column int) {
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return max(1, t.Position.Line), max(1, t.Position.Column)
}
