// Package template is the one template syntax of idemcheck.yaml, ${...}.
//
// Lower case is ours: ${id} ${key} ${scope} ${n} ${run} ${now} ${version}
// ${int 100 999}, and the names of values taken from the answers of earlier operations. Upper
// case is the environment; Env resolves it once, when a file is loaded. $${ is
// a literal ${. More exactly, of a run of dollars before a brace each pair is
// one dollar, and an odd one left over begins an expression.
package template

import (
	"fmt"
	"time"
)

// Ours are the names that have a meaning of their own.
var Ours = []string{"id", "key", "scope", "n", "int", "now", "run", "version"}

// Vars are the values of one operation.
type Vars struct {
	ID, Key, Scope, Run string
	N                   int               // number of the operation in the run
	Version             int               // of the operation's entity; 0 is the first
	Seed                uint64            // ${int a b} draws from (Seed, N, Attempt, Place, which of the text)
	Attempt             int               // only for texts that are rendered anew at each attempt; else 0
	Place               string            // where the text stands: "path", "header X-Shop"; a Node adds its JSON pointer
	Now                 time.Time         // rendered RFC 3339, UTC
	Values              map[string]string // taken from answers of operations that ran before
	Numbers             map[string]bool   // the Values that were JSON numbers: alone in a body they stay numbers
}

// Error is what is wrong with a text, and where.
type Error struct {
	Offset int // in bytes from the start of the text, of the ${
	Msg    string
}

func (e *Error) Error() string { return fmt.Sprintf("template: at byte %d: %s", e.Offset, e.Msg) }

func fail(offset int, format string, args ...any) error {
	return &Error{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}
