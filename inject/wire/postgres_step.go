package wire

import (
	"errors"
	"fmt"
	"strings"
)

// A pgStep is a step under way.
type pgStep struct {
	Step      // as the hook will see it After
	kind      sqlKind
	simple    bool // sent as a Query
	sync      bool // ends with ReadyForQuery; else with the end of its Execute
	copying   bool // the server waits for the data of a COPY
	committed bool // it said COMMIT
	failed    bool // it said ERROR
}

// What becomes of a message of the server.
type pgFate int

const (
	pgPass   pgFate = iota // to the system; while a step is under way it is held back first
	pgEnd                  // the last that is held back: the step has ended
	pgRelay                // at once, with all that was held back
	pgDrop                 // the system never sees it
	pgAnswer               // the system sees that of the refusal in its place
)

// pgTold are the messages that say how far the server is.
const pgTold = "CsIEZGN"

// came is told each message of the server whose kind is in pgTold.
func (s *pgSession) came(kind byte, body []byte) (pgFate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	if s.no != nil {
		if fate := s.refused(kind); fate != pgPass {
			return fate, nil
		}
	}
	if kind == 'G' {
		return s.copyIn()
	}
	if kind == 'Z' && (len(body) != 1 || s.ready == s.asked) {
		return 0, errors.New("a ReadyForQuery that nobody asked for, or of a length that is not its own")
	}
	s.count(kind, body)
	if s.step == nil || !s.step.came(kind, body) {
		return pgPass, nil
	}
	s.step.ends(kind, body)
	if kind == 'C' && s.idle && s.step.kind&sqlWrite != 0 {
		s.loose = true
	}
	return pgEnd, nil
}

// count counts what is answered.
func (s *pgSession) count(kind byte, body []byte) {
	switch kind {
	case 'C', 's', 'I':
		s.done++
		switch tag, _, _ := pgName(body, len(body)); tag {
		case "BEGIN", "START TRANSACTION":
			s.idle, s.loose = false, false
		case "COMMIT":
			s.idle, s.loose = true, false
		case "ROLLBACK": // also of ROLLBACK TO, which ends nothing and is no step
			if s.step != nil {
				s.idle, s.loose = true, false
			}
		}
	case 'E':
		s.loose = false
		if s.ready == s.asked {
			s.failed = pgError(body)
		}
	case 'Z':
		s.ready++
		s.done, s.failed = 0, ""
		s.idle, s.loose = body[0] == 'I', false
	}
}

// copyIn is the server's wish for data. A Sync that was sent with the statement
// is ignored: there comes another after the data.
func (s *pgSession) copyIn() (pgFate, error) {
	if s.step == nil {
		return 0, errors.New("the server wants data for a COPY that the link did not see")
	}
	s.step.copying = true
	if s.step.sync && !s.step.simple {
		s.step.sync = false
		s.asked--
	}
	return pgRelay, nil
}

// came notes what a message says about the step, and reports whether it is its last.
func (p *pgStep) came(kind byte, body []byte) bool {
	switch kind {
	case 'C':
		p.Reply, _, _ = pgName(body, len(body))
		p.committed = p.committed || p.Reply == "COMMIT"
	case 's':
		p.Reply = "suspended"
	case 'I':
		p.Reply = "empty"
	case 'E':
		p.Reply = pgError(body)
		p.failed = strings.HasPrefix(p.Reply, "ERROR")
		return !p.failed || !p.sync // after a FATAL nothing comes
	case 'Z':
		return p.sync
	default:
		return false
	}
	return !p.sync
}

// ends says what became of the step by its last message.
func (p *pgStep) ends(kind byte, body []byte) {
	ready := kind == 'Z' && body[0] == 'I'
	p.Phase = After
	if p.Reply == "" {
		p.Reply = "COMMIT" // of a Sync, which has no tag
	}
	kept := p.kind&(sqlWrite|sqlImplicit) != 0 && p.kind&sqlUndone == 0
	p.Durable = p.committed || ready && kept && !p.failed
	p.Refused = !p.committed && (p.failed || p.kind&sqlCommit != 0 && p.Reply == "ROLLBACK")
}

// pgError is an ErrorResponse as a reply: "ERROR 40001".
func pgError(body []byte) string {
	level := pgField(body, 'V')
	if level == "" {
		level = "ERROR"
	}
	return fmt.Sprintf("%s %s", level, pgField(body, 'C'))
}
