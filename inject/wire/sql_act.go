package wire

import (
	"slices"
	"strings"
)

// sqlKind says what a statement does to the world.
type sqlKind int

const (
	sqlWrite    sqlKind = 1 << iota // writes rows or changes tables
	sqlLock                         // locks rows
	sqlOther                        // has an effect that a server takes also where it takes no writes
	sqlBegin                        // begins a transaction
	sqlCommit                       // ends it and keeps what was written
	sqlRollback                     // ends it and keeps nothing
	sqlImplicit                     // ends one that was never begun, and keeps what was written
	sqlUndone                       // of several statements, a rollback comes after the last write
)

// A sqlAct is what a text of SQL does, as the name of a step.
type sqlAct struct {
	name string // "INSERT charges", "INSERT charges+COMMIT"; "": nothing worth a step
	kind sqlKind
	text string // for people
}

// mostNames is how many statements of one text its name tells.
const mostNames = 3

// sqlActOf reads all statements of a text.
func sqlActOf(text string) sqlAct {
	p := sqlParser{scan: sqlScanner{text: text}}
	p.move()
	for p.now.kind != 0 {
		p.statement()
		p.rest()
	}
	return sqlAct{name: joinNames(p.names), kind: p.kind, text: sqlShown(text)}
}

// joinNames makes one name of several: a BEGIN says nothing beside others, nor
// does the same again.
func joinNames(names []string) string {
	if len(names) > 1 {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "BEGIN" })
	}
	if len(names) > mostNames {
		names = append(names[:mostNames-1:mostNames-1], "more", names[len(names)-1])
	}
	return strings.Join(names, "+")
}

// A sqlParser walks over statements and notes what they do.
type sqlParser struct {
	scan      sqlScanner
	prev, now sqlToken
	depth     int // of parentheses
	names     []string
	kind      sqlKind
}

func (p *sqlParser) move() {
	switch p.now.kind {
	case '(':
		p.depth++
	case ')':
		p.depth = max(0, p.depth-1)
	}
	p.prev, p.now = p.now, p.scan.next()
}

// add notes what the statement does.
func (p *sqlParser) add(kind sqlKind, words ...string) {
	p.kind |= kind
	switch kind {
	case sqlWrite:
		p.kind &^= sqlUndone
	case sqlRollback:
		p.kind |= sqlUndone
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	name := strings.Join(words, " ")
	switch n := len(p.names); {
	case n > mostNames+1 && p.names[n-1] != name:
		p.names[n-1] = name // only the first and the last are told
	case n == 0 || p.names[n-1] != name:
		p.names = append(p.names, name)
	}
}

// rest moves behind the end of the statement.
func (p *sqlParser) rest() {
	for p.now.kind != 0 && (p.now.kind != ';' || p.depth > 0) {
		p.move()
	}
	p.move()
	p.depth = 0
}

// skip moves over all of the words that come next.
func (p *sqlParser) skip(words ...string) {
	for p.now.kind == 'w' && slices.Contains(words, p.now.word()) {
		p.move()
	}
}

// object is the name that comes next, without schema and quotes; "" if none does.
func (p *sqlParser) object() string {
	name := ""
	for p.now.kind == 'w' || p.now.kind == 'q' {
		name = bare(p.now)
		p.move()
		if p.now.kind != '.' {
			break
		}
		p.move()
	}
	return name
}

// bare is a name as the server keeps it: folded if it is not quoted.
func bare(t sqlToken) string {
	if t.kind == 'w' {
		return strings.ToLower(t.text)
	}
	quote := t.text[:1]
	return strings.ReplaceAll(strings.TrimSuffix(t.text[1:], quote), quote+quote, quote)
}
