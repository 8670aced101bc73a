package draft

import (
	"fmt"
	"regexp"
	"strings"
)

// page is the text of a file as it grows.
type page struct{ strings.Builder }

func (p *page) line(indent int, format string, args ...any) {
	fmt.Fprintf(p, "%s%s\n", strings.Repeat(" ", indent), fmt.Sprintf(format, args...))
}

// note writes a comment, a line for each of its lines.
func (p *page) note(indent int, text string) {
	for line := range strings.SplitSeq(clean(text), "\n") {
		p.line(indent, "%s", strings.TrimRight("# "+line, " "))
	}
}

// control are characters that no comment may hold.
var control = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{85}\x{2028}\x{2029}\x{feff}]`)

func clean(s string) string { return control.ReplaceAllString(strings.ToValidUTF8(s, "·"), " ") }

var simple = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([-.][A-Za-z0-9_]+)*$`)

// reserved are words that YAML 1.1 or 1.2 take for something else than a text.
var reserved = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null|nan|inf|infinity)$`)

// scalar is a text, in quotes unless none are needed.
func scalar(s string) string {
	if simple.MatchString(s) && !reserved.MatchString(s) {
		return s
	}
	return quote(s)
}

// flow is a value on one line.
func (v *Value) flow() string {
	switch v.Kind {
	case Literal:
		return v.Text
	case Text:
		return scalar(v.Text)
	}
	var items []string
	for i, item := range v.Items {
		text := item.flow()
		if v.Kind == Object {
			text = scalar(v.Names[i]) + ": " + text
		}
		items = append(items, text)
	}
	if v.Kind == List {
		return "[" + strings.Join(items, ", ") + "]"
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// noted tells whether a comment stands in or at the value.
func (v *Value) noted() bool {
	for _, item := range v.Items {
		if item.noted() {
			return true
		}
	}
	return v.Note != ""
}

// columns is how long a line may get before a value is spread over several.
const columns = 100

// field writes "name: value", over several lines where it is long or has comments.
func (p *page) field(indent int, name string, v *Value) {
	lead, note := scalar(name)+":", ""
	if v.Note != "" {
		note = "  # " + strings.ReplaceAll(clean(v.Note), "\n", " ")
	}
	line := lead + " " + v.flow()
	inner := *v
	inner.Note = ""
	if (v.Kind != Object && v.Kind != List) || len(v.Items) == 0 || !inner.noted() && indent+len(line) <= columns {
		p.line(indent, "%s%s", line, note)
		return
	}
	p.line(indent, "%s%s", lead, note)
	for i, item := range v.Items {
		if v.Kind == Object {
			p.field(indent+2, v.Names[i], item)
		} else {
			p.item(indent+2, item)
		}
	}
}

// item writes an item of a list: one line, since comments inside lists are rare.
func (p *page) item(indent int, v *Value) { p.line(indent, "- %s", v.flow()) }

// YAML is the file as text.
func (f *File) YAML() []byte {
	var p page
	for _, h := range f.Head {
		p.note(0, h)
	}
	for _, s := range f.Secrets {
		p.note(0, fmt.Sprintf("needs the environment variable %s (%s)", s.Name, s.For))
	}
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.line(0, "target: %s", f.Target)
	if f.Allow != "" {
		p.line(0, "allow: [%s]   # not on loopback: idemcheck sends repeats there", scalar(f.Allow))
	}
	p.line(0, "operations:")
	for _, o := range f.Operations {
		p.operation(o)
	}
	f.rest(&p)
	return []byte(p.String())
}

// operation writes one entry, as a comment if it is off.
func (p *page) operation(o Operation) {
	var q page
	q.line(2, "%s:", o.Name)
	q.line(4, "send: %s", sendScalar(o.Method+" "+o.Path))
	for _, n := range o.Notes {
		q.note(4, n)
	}
	if o.Key != "" {
		q.line(4, "key: %s%s", keyScalar(o.Key), comment(o.KeyNote))
	}
	if len(o.Headers) > 0 {
		h := &Value{Kind: Object}
		for _, one := range o.Headers {
			h.add(one.Name, &Value{Kind: Text, Text: one.Value})
		}
		q.field(4, "headers", h)
	}
	switch {
	case o.Body != nil:
		q.field(4, "body", o.Body)
	case o.Form != "":
		q.line(4, "body: %s", quote(o.Form))
	}
	o.links(&q)
	if o.Off == "" {
		p.WriteString(q.String())
		return
	}
	p.note(2, o.Off)
	for line := range strings.Lines(q.String()) {
		p.line(2, "# %s", strings.TrimRight(strings.TrimPrefix(line, "  "), "\n"))
	}
}

// links writes what an operation has to do with others.
func (o Operation) links(q *page) {
	if len(o.Before) > 0 {
		q.line(4, "before: [%s]", strings.Join(o.Before, ", "))
	}
	if len(o.Take) > 0 {
		t := &Value{Kind: Object}
		for _, one := range o.Take {
			t.add(one.Name, &Value{Kind: Text, Text: one.Pointer})
		}
		q.field(4, "take", t)
	}
	if o.Test != "" {
		q.line(4, "test: %s", o.Test)
	}
}

func comment(s string) string {
	if s == "" {
		return ""
	}
	return "   # " + clean(s)
}

var bareSend = regexp.MustCompile(`^[A-Z]+ /[A-Za-z0-9/_.${}?=&~-]*$`)

// sendScalar is a request line, in quotes where YAML would misread it.
func sendScalar(s string) string {
	if bareSend.MatchString(s) {
		return s
	}
	return quote(s)
}

func keyScalar(s string) string {
	if regexp.MustCompile(`^(none|(header|body|query) [A-Za-z0-9_/.-]+)$`).MatchString(s) {
		return s
	}
	return quote(s)
}
