package observe

import (
	"fmt"
	"slices"
	"strings"
)

// legal are the parameters that a query may use.
var legal = []string{":ids", ":keys", ":run"}

// seconds is one more, of a statement that makes records older.
const seconds = ":seconds"

// chunk is a stretch of SQL, or a parameter.
type chunk struct{ text, param string }

// scanner finds the parameters of a query. Casts, quoted text and comments are
// left alone.
type scanner struct {
	sql     string
	dialect dialect  // PostgreSQL: nested comments, $tag$, E'\''; MySQL: # comments, backslashes
	legal   []string // parameters
	pos     int
	begin   int // of the stretch of SQL being read
	chunks  []chunk
}

// scan takes the parameters of a query, and more that are named.
func scan(sql string, d dialect, more ...string) ([]chunk, error) {
	s := &scanner{sql: sql, dialect: d, legal: append(more, legal...)}
	for s.pos < len(sql) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.cut("")
	return s.chunks, nil
}

func (s *scanner) step() error {
	rest := s.sql[s.pos:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "--") && (s.dialect != mysql || len(rest) == 2 || rest[2] <= ' '), c == '#' && s.dialect == mysql:
		s.pos += strings.IndexByte(rest+"\n", '\n')
	case strings.HasPrefix(rest, "/*"):
		return s.comment()
	case c == '\'' || c == '"' || c == '`':
		return s.quoted(c)
	case c == '$':
		return s.dollar()
	case c == '?' && s.dialect != postgres:
		return s.errorf(s.pos, "placeholder ?", "parameters are written %s", strings.Join(s.legal, " "))
	case strings.HasPrefix(rest, "::"):
		s.pos += 2
	case c == ':' && len(rest) > 1 && isLetter(rest[1]):
		return s.parameter()
	default:
		s.pos++
	}
	return nil
}

// cut ends the stretch of SQL before a parameter, or at the end.
func (s *scanner) cut(param string) {
	end := s.pos - len(param)
	if end > s.begin {
		s.chunks = append(s.chunks, chunk{text: s.sql[s.begin:end]})
	}
	if param != "" {
		s.chunks = append(s.chunks, chunk{param: param})
	}
	s.begin = s.pos
}

func (s *scanner) parameter() error {
	name := ":" + word(s.sql[s.pos+1:])
	if !slices.Contains(s.legal, name) {
		return s.errorf(s.pos, "unknown parameter "+name, "legal are %s", strings.Join(s.legal, " "))
	}
	s.pos += len(name)
	s.cut(name)
	return nil
}

// comment skips a comment; only PostgreSQL's nest.
func (s *scanner) comment() error {
	start, depth := s.pos, 0
	for s.pos < len(s.sql) {
		switch rest := s.sql[s.pos:]; {
		case strings.HasPrefix(rest, "/*") && (depth == 0 || s.dialect == postgres):
			depth++
			s.pos += 2
		case strings.HasPrefix(rest, "*/"):
			s.pos += 2
			if depth--; depth == 0 {
				return nil
			}
		default:
			s.pos++
		}
	}
	return s.errorf(start, "unclosed comment /*", "")
}

// quoted skips a text or a name in quotes; a doubled quote stands for itself.
func (s *scanner) quoted(quote byte) error {
	start := s.pos
	escapes := s.dialect == postgres && quote == '\'' && s.escaped() || s.dialect == mysql && quote != '`'
	for s.pos++; s.pos < len(s.sql); s.pos++ {
		switch c := s.sql[s.pos]; {
		case c == '\\' && escapes:
			s.pos++
		case c == quote && s.next() == quote:
			s.pos++
		case c == quote:
			s.pos++
			return nil
		}
	}
	s.pos = len(s.sql)
	return s.errorf(start, "unclosed "+string(quote), "")
}

// escaped tells whether the text that begins here is an E'...' of PostgreSQL.
func (s *scanner) escaped() bool {
	before := s.sql[:s.pos]
	return (strings.HasSuffix(before, "E") || strings.HasSuffix(before, "e")) &&
		(len(before) == 1 || !isWord(before[len(before)-2]))
}

func (s *scanner) next() byte {
	if s.pos+1 < len(s.sql) {
		return s.sql[s.pos+1]
	}
	return 0
}

// dollar skips PostgreSQL's $tag$...$tag$ and refuses placeholders such as $1,
// whose numbers would be taken for ours.
func (s *scanner) dollar() error {
	start := s.pos
	tag := word(s.sql[s.pos+1:])
	if s.pos > 0 && isWord(s.sql[s.pos-1]) { // a$b is a name
		s.pos += 1 + len(tag)
		return nil
	}
	digit := tag != "" && !isLetter(tag[0])
	if digit || tag != "" && s.dialect != postgres {
		return s.errorf(start, "placeholder $"+tag, "parameters are written %s", strings.Join(s.legal, " "))
	}
	open := "$" + tag + "$"
	if s.dialect != postgres || !strings.HasPrefix(s.sql[s.pos:], open) {
		s.pos++
		return nil
	}
	body := s.sql[s.pos+len(open):]
	end := strings.Index(body, open)
	if end < 0 {
		return s.errorf(start, "unclosed "+open, "")
	}
	s.pos += len(open) + end + len(open)
	return nil
}

// errorf says what is wrong in which line of the query.
func (s *scanner) errorf(at int, what, format string, args ...any) error {
	line := 1 + strings.Count(s.sql[:at], "\n")
	if format != "" {
		what += "; " + fmt.Sprintf(format, args...)
	}
	return fmt.Errorf("query, line %d: %s", line, what)
}

// word is the longest prefix of letters, digits and _.
func word(s string) string {
	for i := range len(s) {
		if !isWord(s[i]) {
			return s[:i]
		}
	}
	return s
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
