package inject

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// read hears the process until it is gone.
func (l *life) read(from io.Reader) {
	defer l.bury()
	words := json.NewDecoder(from)
	for {
		var w word
		if words.Decode(&w) != nil {
			return
		}
		switch w.Say {
		case "ready":
			close(l.ready)
		case "done":
			l.done(w)
		default:
			l.answer(w)
		}
	}
}

// endBound is how long a process may take to end that says nothing more.
const endBound = 5 * time.Second

// bury waits for the end of a process that says nothing more.
func (l *life) bury() {
	bound := time.NewTimer(endBound)
	defer bound.Stop()
	select {
	case <-l.worker.Gone():
	case <-bound.C: // it has closed its side, and lives
		_ = l.worker.Kill()
	}
	for _, f := range l.files {
		_ = f.Close()
	}
	close(l.gone)
}

func (l *life) done(w word) {
	l.mu.Lock()
	h := l.waiting[w.N]
	delete(l.waiting, w.N)
	l.mu.Unlock()
	switch {
	case h == nil:
	case w.Text == "":
		h.done <- nil
	default:
		h.done <- errors.New(w.Text)
	}
}

// answer does what the process asks for, and lets it go on, if it lives.
func (l *life) answer(w word) {
	r := l.p.run
	op := r.operation(w.ID)
	l.mu.Lock()
	h := l.waiting[w.N]
	l.mu.Unlock()
	answer := word{Say: "go", K: w.K, Fault: &Fault{}}
	switch {
	case w.Say == "error":
		r.fail("%s", w.Text)
	case w.Say == "undo" && w.By == hookEffect:
		r.undo(w.ID)
	case w.Say == "undo":
		r.takeBack(w.By, w.ID)
	case op == nil:
		r.stranger(w.By, w.ID)
	case w.Say == "fired":
		l.struck(op, h, *w.Fault, w.Text)
	case w.Say == "strike":
		*answer.Fault = l.strike(op, h, w.Effects)
	case w.Effects: // Run.Effect, where kills strike
		kill := l.kill(h)
		if kill.Name == KillBefore.Name {
			l.struck(op, h, kill, "")
			return
		}
		r.happen(w.By, op)
		if kill.Name == KillAfter.Name {
			l.struck(op, h, kill, "")
			return
		}
	default:
		r.happen(w.By, op)
	}
	_ = l.out.say(answer) // to one that is gone
}

// strike is what a COMMIT meets. A kill before it strikes here.
func (l *life) strike(op *operation, h *handed, effects bool) (f Fault) {
	if effects {
		f = l.kill(h)
	}
	if f == (Fault{}) {
		if fs := l.p.run.decide(SiteDB, op); len(fs) > 0 {
			f = fs[0]
		}
	}
	if f.Name == KillBefore.Name {
		l.struck(op, h, f, sqlwrap.Commit)
	}
	return f
}

// struck kills, where the fault is a kill, and notes the fault.
func (l *life) struck(op *operation, h *handed, f Fault, moment string) {
	if kills(f) {
		l.mu.Lock()
		l.killed = f
		l.mu.Unlock()
		_ = l.worker.Kill()
	}
	n := 0
	if h != nil && h.try != nil {
		n = h.try.number
	}
	l.p.run.firedAt(op, n, f, moment)
}

// kill is the kill that is to strike the attempt; it strikes once.
func (l *life) kill(h *handed) Fault {
	if h == nil || h.try == nil {
		return Fault{}
	}
	l.p.run.mu.Lock()
	defer l.p.run.mu.Unlock()
	kill := h.try.kill
	h.try.kill = Fault{}
	return kill
}

// again are the arguments that run one test of this binary once more. own are
// those of this one: nothing of what it was told to write is passed on (profiles,
// coverage), and all that is the user's is.
func again(test string, own []string) []string {
	var parts []string
	for part := range strings.SplitSeq(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	program, err := os.Executable()
	if err != nil {
		program = own[0]
	}
	args := []string{program, "-test.run=" + strings.Join(parts, "/"), "-test.count=1"}
	if short := flag.Lookup("test.short"); short != nil && short.Value.String() == "true" {
		args = append(args, "-test.short")
	}
	for i := 1; i < len(own); i++ {
		a := own[i]
		if name, own := strings.CutPrefix(strings.TrimLeft(a, "-"), "test."); own && strings.HasPrefix(a, "-") {
			if f := flag.Lookup("test." + name); f != nil && !isBool(f) {
				i++ // its value stands apart
			}
			continue
		}
		args = append(args, a)
	}
	return args
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
