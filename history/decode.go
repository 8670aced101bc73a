package history

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decoder reads events. Lines in the form in which this package writes them are
// read by hand, all others by encoding/json, with the same result.
type decoder struct {
	names   map[string]string // texts that come again and again
	arena   strings.Builder   // memory of the others
	scratch []byte
}

// maxNames bounds the table of names, should a file hold a new one in each line.
const maxNames = 4096

func newDecoder() *decoder { return &decoder{names: map[string]string{}} }

// event reads a line into e, which is empty.
func (d *decoder) event(line []byte, e *Event) error {
	if !d.fast(line, e) {
		*e = Event{}
		if err := json.Unmarshal(line, e); err != nil {
			return err
		}
	}
	if !e.Kind.known() {
		return fmt.Errorf("kind %q is not known: invoke, ok, refused, unknown, effect, fault, moment, state and mark are", e.Kind)
	}
	if len(e.Attrs) == 0 {
		e.Attrs = nil
	}
	return nil
}

// fast reads a line without white space, nulls and unknown fields. If it reports
// false, e is half filled and the line may be good or bad.
func (d *decoder) fast(line []byte, e *Event) bool {
	if !plainText(line) {
		return false
	}
	s := scanner{in: line}
	if !s.take('{') {
		return false
	}
	for {
		name, escaped, ok := s.text()
		if !ok || escaped || !s.take(':') || !d.field(&s, e, name) {
			return false
		}
		if s.take('}') {
			return s.pos == len(line)
		}
		if !s.take(',') {
			return false
		}
	}
}

// plainText reports whether no string in the line needs a closer look: no
// control characters, which JSON forbids, and good UTF-8.
func plainText(line []byte) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	rest := line
	for ; len(rest) >= 8; rest = rest[8:] {
		// A byte that is no ASCII, or from which a blank can't be taken away,
		// sets its top bit, or at least one in the word.
		if v := binary.LittleEndian.Uint64(rest); (v|(v-each*' '))&top != 0 {
			break
		}
	}
	ascii := true
	for _, b := range rest {
		if b < ' ' {
			return false
		}
		ascii = ascii && b < utf8.RuneSelf
	}
	return ascii || utf8.Valid(rest)
}

func (d *decoder) field(s *scanner, e *Event, name []byte) bool {
	switch string(name) {
	case "seq":
		return s.int64(&e.Seq)
	case "at":
		return s.int64(&e.At)
	case "attempt":
		return s.int(&e.Attempt)
	case "count":
		return s.int(&e.Count)
	case "kind":
		return d.name(s, (*string)(&e.Kind))
	case "case":
		return d.name(s, &e.Case)
	case "name":
		return d.name(s, &e.Name)
	case "scope":
		return d.name(s, &e.Scope)
	case "actor":
		return d.name(s, &e.Actor)
	case "status":
		return d.name(s, &e.Status)
	case "op":
		return d.text(s, &e.Op)
	case "key":
		return d.text(s, &e.Key)
	case "payload":
		return d.text(s, &e.Payload)
	case "answer":
		return d.text(s, &e.Answer)
	case "body":
		return d.text(s, &e.Body)
	case "hidden":
		return d.text(s, &e.Hidden)
	case "cause":
		return d.text(s, &e.Cause)
	case "attrs":
		return d.attrs(s, e)
	}
	return false
}

func (d *decoder) attrs(s *scanner, e *Event) bool {
	if !s.take('{') {
		return false
	}
	if e.Attrs == nil {
		e.Attrs = map[string]string{}
	}
	if s.take('}') {
		return true
	}
	for {
		var name, value string
		if !d.name(s, &name) || !s.take(':') || !d.text(s, &value) {
			return false
		}
		e.Attrs[name] = value
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// name reads a text that occurs in many lines and keeps one copy of it.
func (d *decoder) name(s *scanner, to *string) bool {
	raw, escaped, ok := s.text()
	if !ok {
		return false
	}
	if escaped {
		return d.unescape(raw, to)
	}
	if known, ok := d.names[string(raw)]; ok {
		*to = known
		return true
	}
	*to = d.keep(raw)
	if len(d.names) < maxNames {
		d.names[*to] = *to
	}
	return true
}

func (d *decoder) text(s *scanner, to *string) bool {
	raw, escaped, ok := s.text()
	switch {
	case !ok:
		return false
	case escaped:
		return d.unescape(raw, to)
	}
	*to = d.keep(raw)
	return true
}

func (d *decoder) unescape(raw []byte, to *string) (ok bool) {
	if d.scratch, ok = appendUnescaped(d.scratch[:0], raw); ok {
		*to = d.keep(d.scratch)
	}
	return ok
}

// keep copies b into the arena, which saves an allocation for each text.
func (d *decoder) keep(b []byte) string {
	const size = 64 << 10
	if len(b) > size/8 {
		return string(b)
	}
	if d.arena.Cap()-d.arena.Len() < len(b) {
		d.arena = strings.Builder{}
		d.arena.Grow(size)
	}
	from := d.arena.Len()
	d.arena.Write(b)
	return d.arena.String()[from:]
}

// scanner reads the tokens of one line.
type scanner struct {
	in  []byte
	pos int
}

func (s *scanner) take(b byte) bool {
	if s.pos < len(s.in) && s.in[s.pos] == b {
		s.pos++
		return true
	}
	return false
}

// text reads a string and returns its inside.
func (s *scanner) text() (raw []byte, escaped, ok bool) {
	if !s.take('"') {
		return nil, false, false
	}
	rest := s.in[s.pos:]
	for i := 0; ; {
		n := bytes.IndexByte(rest[i:], '"')
		if n < 0 {
			return nil, false, false
		}
		if !escaped && bytes.IndexByte(rest[i:i+n], '\\') >= 0 {
			escaped = true
		}
		i += n
		if !escaped || backslashes(rest[:i])%2 == 0 {
			s.pos += i + 1
			return rest[:i], escaped, true
		}
		i++
	}
}

// backslashes is how many end b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

// int64 reads a number that surely fits; encoding/json sees to the others.
func (s *scanner) int64(to *int64) bool {
	negative := s.take('-')
	n := digits(s.in[s.pos:])
	if n == 0 || n > 18 || n > 1 && s.in[s.pos] == '0' {
		return false
	}
	var v int64
	for _, b := range s.in[s.pos : s.pos+n] {
		v = 10*v + int64(b-'0')
	}
	if negative {
		v = -v
	}
	s.pos += n
	*to = v
	return true
}

func (s *scanner) int(to *int) bool {
	var v int64
	ok := s.int64(&v) && int64(int(v)) == v
	*to = int(v)
	return ok
}
