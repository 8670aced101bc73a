package wire

import (
	"fmt"
	"strings"
)

// A pgRefusal answers a statement in place of the server, which never sees it. To
// make the server's state fit the answer it gets a text that is an error in its
// place, and its error becomes ours; after a COMMIT it is told to roll back, which
// the system does not see.
type pgRefusal struct {
	answer   []byte
	rollback bool
	said     bool // the answer is given
	rolling  bool // ReadyForQuery after the error came; that after the ROLLBACK is the system's
}

const (
	pgBadText  = `"refused by idemcheck"` + "\x00"
	pgRollback = "ROLLBACK\x00"
)

// newPgRefusal says no to a step: try again (40001), or that nothing can be written (25006).
func newPgRefusal(act sqlAct, action Action) (no *pgRefusal, reply string) {
	code, text := "40001", "could not serialize access (refused by idemcheck)"
	if action == ReadOnly {
		verb, _, _ := strings.Cut(act.name, " ")
		code, text = "25006", fmt.Sprintf("cannot execute %s in a read-only transaction (refused by idemcheck)", verb)
	}
	answer := pgMessage('E', "SERROR\x00VERROR\x00C"+code+"\x00M"+text+"\x00\x00")
	return &pgRefusal{answer: answer, rollback: action == Refuse && act.kind&(sqlCommit|sqlRollback) != 0}, "ERROR " + code
}

// refused is what a refusal makes of a message; pgPass: nothing.
func (s *pgSession) refused(kind byte) pgFate {
	no := s.no
	switch {
	case !no.said:
		if kind != 'E' {
			return pgPass
		}
		no.said = true
		if !no.rollback {
			s.no = nil
		}
		return pgAnswer
	case kind == 'Z' && !no.rolling:
		no.rolling = true
		return pgDrop
	case kind == 'Z':
		s.no = nil
		return pgPass
	case no.rolling:
		return pgDrop // what ROLLBACK says
	}
	return pgPass
}
