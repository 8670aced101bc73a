package checkers

import "github.com/idemcheck/idemcheck/history"

// made reports whether a mark says that something was made whole again.
func made(m *history.Event) bool {
	switch m.Name {
	case history.MarkRestart, history.MarkResumed, history.MarkUp:
		return true
	}
	return false
}

// spoilt says what a mark did to the system, which a later one undoes; "" if it did nothing.
func spoilt(m *history.Event) string {
	switch m.Name {
	case history.MarkKilled, history.MarkDied:
		return m.Actor + " was dead"
	case history.MarkPaused:
		return m.Actor + " stood still"
	case history.MarkDown:
		return "what is behind " + m.Actor + " was away"
	case history.MarkReadOnly:
		return "what is behind " + m.Actor + " took no writes"
	}
	return ""
}

// disturbed says what was wrong with the system, by our doing, while the last
// attempt ran; "" if it was whole.
func (s *stuck) disturbed() string {
	open := map[string]string{} // by actor
	what := ""
	for _, m := range s.op.Marks {
		switch {
		case m.Seq > ended(*s.last):
		case made(m):
			delete(open, m.Actor)
		case spoilt(m) != "":
			open[m.Actor] = spoilt(m)
			if m.Seq > s.last.Begin.Seq {
				return spoilt(m)
			}
		}
		if m.Seq < s.last.Begin.Seq {
			what = first(open)
		}
	}
	return what
}

// first is one of the values, the same each time.
func first(open map[string]string) (text string) {
	for _, v := range open {
		if text == "" || v < text {
			text = v
		}
	}
	return text
}

// wasAway reports whether the store of the system had been taken away.
func (s *stuck) wasAway() bool {
	for _, m := range s.op.Marks {
		if m.Name == history.MarkDown || m.Name == history.MarkReadOnly {
			return true
		}
	}
	return false
}
