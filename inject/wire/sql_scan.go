package wire

import "strings"

// A sqlToken is one word or sign of SQL. Comments and white space are none.
type sqlToken struct {
	kind     byte // 'w' word, 'q' quoted name, 's' literal, else the character itself; 0 at the end
	text     string
	from, to int // where it stands
}

// word is the token in upper case if it is an unquoted word.
func (t sqlToken) word() string {
	if t.kind != 'w' {
		return ""
	}
	return strings.ToUpper(t.text)
}

// A sqlScanner takes SQL apart. It never fails: what is not closed goes to the end.
type sqlScanner struct {
	text string
	at   int
}

func (s *sqlScanner) next() sqlToken {
	s.space()
	from := s.at
	kind := s.token()
	return sqlToken{kind: kind, text: s.text[from:s.at], from: from, to: s.at}
}

// token moves behind the next token and returns its kind.
func (s *sqlScanner) token() byte {
	if s.at >= len(s.text) {
		return 0
	}
	switch c := s.text[s.at]; {
	case c == '\'':
		s.quoted('\'', false)
		return 's'
	case c == '"':
		s.quoted('"', false)
		return 'q'
	case c == '`': // MySQL's names
		s.quoted('`', false)
		return 'q'
	case c == '$':
		return s.dollar()
	case c >= '0' && c <= '9':
		s.run(func(c byte) bool { return wordByte(c) || c == '.' })
		return 's'
	case wordByte(c):
		return s.wordOrString()
	default:
		s.at++
		return c
	}
}

// space skips white space and comments.
func (s *sqlScanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			s.at++
		case strings.HasPrefix(rest, "--"):
			s.skip(strings.IndexByte(rest, '\n') + 1)
		case strings.HasPrefix(rest, "/*"):
			s.comment()
		default:
			return
		}
	}
}

// skip moves on by n bytes; to the end if there are none.
func (s *sqlScanner) skip(n int) {
	if n <= 0 {
		s.at = len(s.text)
		return
	}
	s.at += n
}

// comment skips /* */, which may hold others.
func (s *sqlScanner) comment() {
	depth := 0
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			s.at += 2
		case strings.HasPrefix(rest, "*/"):
			s.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
}

// quoted skips a text in quotes, where a doubled quote is one, and in which a
// backslash may take the next character's meaning.
func (s *sqlScanner) quoted(quote byte, backslash bool) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\' && backslash:
			s.at++
		case c == quote && s.at+1 < len(s.text) && s.text[s.at+1] == quote:
			s.at++
		case c == quote:
			s.at++
			return
		}
	}
	s.at = len(s.text)
}

// dollar skips $1, $$text$$ or $tag$text$tag$.
func (s *sqlScanner) dollar() byte {
	from := s.at
	s.at++
	if s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.run(wordByte)
		return '$'
	}
	s.run(func(c byte) bool { return wordByte(c) && c != '$' })
	if s.at >= len(s.text) || s.text[s.at] != '$' {
		s.at = from + 1
		return '$'
	}
	s.at++
	tag := s.text[from:s.at]
	if i := strings.Index(s.text[s.at:], tag); i >= 0 {
		s.at += i + len(tag)
	} else {
		s.at = len(s.text)
	}
	return 's'
}

// wordOrString skips a word, or E'text' with its backslashes, X'1f', B'1'.
func (s *sqlScanner) wordOrString() byte {
	from := s.at
	s.run(wordByte)
	if s.at < len(s.text) && s.text[s.at] == '\'' && s.at == from+1 && strings.IndexByte("eExXbBnN", s.text[from]) >= 0 {
		s.quoted('\'', s.text[from]|0x20 == 'e')
		return 's'
	}
	return 'w'
}

func (s *sqlScanner) run(while func(byte) bool) {
	for s.at < len(s.text) && while(s.text[s.at]) {
		s.at++
	}
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// sqlShown is the beginning of SQL for people: without comments, and with ? for
// each literal, which may be a secret.
func sqlShown(text string) string {
	var b strings.Builder
	s, end := sqlScanner{text: text}, 0
	for b.Len() < 200 {
		t := s.next()
		if t.kind == 0 {
			break
		}
		if t.from > end && b.Len() > 0 {
			b.WriteByte(' ')
		}
		end = t.to
		if t.kind == 's' {
			t.text = "?"
		}
		b.WriteString(t.text[:min(len(t.text), 200)])
	}
	return short(b.String())
}
