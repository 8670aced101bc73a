package sqlwrap

import "strings"

// sqlToken is one word, value or sign of SQL. Comments and white space are none.
type sqlToken struct {
	kind byte   // 'w' word, 'q' quoted name, 's' text, '#' number, '?' placeholder, else the sign itself
	text string // without its quotes; of a placeholder its name: "", "1", "order"
	nth  int    // of a placeholder without a name: which one, from 1
}

// is reports whether the token is an unquoted word, given in upper case.
func (t sqlToken) is(word string) bool { return t.kind == 'w' && strings.EqualFold(t.text, word) }

// name reports whether the token can name a table or column.
func (t sqlToken) name() bool { return t.kind == 'w' || t.kind == 'q' }

// sqlScanner takes SQL apart. It never fails: what is not closed goes to the end.
type sqlScanner struct {
	text   string
	mysql  bool // # begins a comment, \ escapes
	at     int
	placed int // placeholders without a name so far
}

// sqlTokens are the tokens of a statement.
func sqlTokens(text string, mysql bool) (all []sqlToken) {
	s := &sqlScanner{text: text, mysql: mysql}
	for s.space(); s.at < len(s.text); s.space() {
		all = append(all, s.token())
	}
	return all
}

func (s *sqlScanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// space skips white space and comments; those of PostgreSQL nest.
func (s *sqlScanner) space() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
			s.at++
		case c == '-' && s.peek(1) == '-', c == '#' && s.mysql:
			s.at += len(s.text[s.at:]) - len(strings.TrimLeft(s.text[s.at:], "-#"))
			for s.at < len(s.text) && s.text[s.at] != '\n' {
				s.at++
			}
		case c == '/' && s.peek(1) == '*':
			s.block()
		default:
			return
		}
	}
}

func (s *sqlScanner) block() {
	depth := 0
	for s.at < len(s.text) {
		switch {
		case s.peek(0) == '/' && s.peek(1) == '*' && (depth == 0 || !s.mysql):
			depth, s.at = depth+1, s.at+2
		case s.peek(0) == '*' && s.peek(1) == '/':
			s.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
}

func (s *sqlScanner) token() sqlToken {
	c := s.text[s.at]
	switch {
	case c == '\'':
		return sqlToken{kind: 's', text: s.quoted(c, s.mysql)}
	case c == '"' && s.mysql:
		return sqlToken{kind: 's', text: s.quoted(c, true)}
	case c == '"' || c == '`':
		return sqlToken{kind: 'q', text: s.quoted(c, false)}
	case c >= '0' && c <= '9':
		return sqlToken{kind: '#', text: s.run(func(c byte) bool { return nameByte(c) || c == '.' })}
	case nameByte(c):
		return s.word()
	case c == '?':
		s.at++
		return s.placeholder(s.run(func(c byte) bool { return c >= '0' && c <= '9' }))
	case c == '$':
		return s.dollar()
	case (c == ':' || c == '@') && nameByte(s.peek(1)) && (s.at == 0 || s.text[s.at-1] != c):
		s.at++
		return s.placeholder(s.run(nameByte))
	}
	s.at++
	return sqlToken{kind: c, text: string(c)}
}

func (s *sqlScanner) placeholder(name string) sqlToken {
	if name == "" {
		s.placed++
	}
	return sqlToken{kind: '?', text: name, nth: s.placed}
}

// word is a name, or a text with a letter before it: E'it\'s'.
func (s *sqlScanner) word() sqlToken {
	w := s.run(nameByte)
	if s.peek(0) == '\'' && len(w) == 1 && strings.Contains("eEnNbBxX", w) {
		return sqlToken{kind: 's', text: s.quoted('\'', strings.EqualFold(w, "e"))}
	}
	return sqlToken{kind: 'w', text: w}
}

// dollar is $1, $name, or a text of PostgreSQL between two $tag$.
func (s *sqlScanner) dollar() sqlToken {
	s.at++
	name := s.run(nameByte)
	if s.peek(0) != '$' {
		return s.placeholder(name)
	}
	s.at++
	text, rest, found := strings.Cut(s.text[s.at:], "$"+name+"$")
	s.at = len(s.text)
	if found {
		s.at -= len(rest)
	}
	return sqlToken{kind: 's', text: text}
}

// quoted reads what stands between two quotes; doubled, one is part of it.
func (s *sqlScanner) quoted(quote byte, escapes bool) string {
	var b strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\' && escapes && s.at+1 < len(s.text):
			s.at++
			b.WriteByte(s.text[s.at])
		case c != quote:
			b.WriteByte(c)
		case s.peek(1) == quote:
			s.at++
			b.WriteByte(c)
		default:
			s.at++
			return b.String()
		}
	}
	return b.String()
}

func (s *sqlScanner) run(in func(byte) bool) string {
	from := s.at
	for s.at < len(s.text) && in(s.text[s.at]) {
		s.at++
	}
	return s.text[from:s.at]
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
