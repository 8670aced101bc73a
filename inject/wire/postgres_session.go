package wire

import "sync"

// A pgSession is what the two directions of a connection know together. One step
// is under way at most: it begins when all that was asked before it is answered,
// and nothing is sent after it until it has ended.
type pgSession struct {
	mu      sync.Mutex
	changed *sync.Cond

	asked, ready int    // how many ReadyForQuery the server owes in all, and has sent
	sent, done   int    // the Executes since the last Sync: sent, and ended
	failed       string // "ERROR 23505": what comes before the next Sync is skipped
	idle         bool   // no transaction was begun
	loose        bool   // something was written without one, and waits for the Sync
	over         bool   // the server is gone
	step         *pgStep
	no           *pgRefusal
	answer       []byte // what the refusal says
}

// newPgSession owes the ReadyForQuery after the log-in.
func newPgSession() *pgSession {
	s := &pgSession{asked: 1, idle: true}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// settle waits until all is answered, and reports whether a step can begin: the
// server is there and does not skip it. After an error it skips what comes before
// the next Sync: where that was sent, it is waited for.
func (s *pgSession) settle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && (s.ready < s.asked || s.failed == "" && s.done < s.sent) {
		s.changed.Wait()
	}
	return !s.over && s.failed == "" && s.no == nil
}

// executes counts an Execute that is no step.
func (s *pgSession) executes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
}

// isLoose reports whether the next Sync keeps what was written.
func (s *pgSession) isLoose() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loose
}

// isWithin reports whether a transaction was begun.
func (s *pgSession) isWithin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.idle
}

// asks counts a message that the server answers with ReadyForQuery.
func (s *pgSession) asks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.sent = 0
}

// begin counts what a step sends and makes it the one under way. It reports
// false if its answer can not come: the server skips it.
func (s *pgSession) begin(step *pgStep) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if step.sync {
		s.asked++
		s.sent = 0
	} else {
		s.sent = s.done + 1
	}
	if s.failed != "" {
		step.Reply, step.Refused = s.failed, true
		return false
	}
	if !s.over {
		s.step = step
	}
	return true
}

// wait waits until the step under way has ended, or wants data: then it returns it.
func (s *pgSession) wait() *pgStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.step != nil && !s.step.copying {
		s.changed.Wait()
	}
	return s.step
}

// holds reports whether the reply to a step is held back.
func (s *pgSession) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step != nil
}

// result is the step that has ended.
func (s *pgSession) result() Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step.Step
}

// resume goes on with a step whose data was sent, unless it has failed meanwhile.
// A statement of the extended protocol ends by the Sync that follows, if one does.
func (s *pgSession) resume(step *pgStep, sync bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sync && !step.simple {
		s.asked++
		s.sent = 0
	}
	if s.step != nil {
		s.step.copying = false
		s.step.sync = sync
	}
}

// refuse makes the next error of the server another.
func (s *pgSession) refuse(no *pgRefusal, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.no, s.answer, s.failed = no, no.answer, reply
}

// ended ends the step.
func (s *pgSession) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step = nil
	s.changed.Broadcast()
}

// close is the end of the server: nothing that was asked is answered any more.
func (s *pgSession) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over, s.step = true, nil
	s.changed.Broadcast()
}
