package point

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// table is what is to be done at which name.
type table struct {
	entries []entry

	mu      sync.Mutex
	reached map[string]int // how often each name was reached
	refused bool           // a bad name was reported
}

// load reads the environment; nil: nothing is to be done, ever.
func load() *table {
	text := os.Getenv(variable)
	if text == "" {
		return nil
	}
	entries, err := parse(text)
	if err != nil {
		say("nothing is armed: " + err.Error())
		return nil
	}
	return &table{entries: entries, reached: map[string]int{}}
}

// reach acts for a name, in the order of the entries.
func (t *table) reach(name string) {
	n := t.count(name)
	for _, e := range t.entries {
		if n > 0 && (e.name == "*" || e.name == name) && (e.nth == 0 || e.nth == n) {
			e.act(name)
		}
	}
}

// count says the how manieth time this is, from 1; 0: the name is not legal.
func (t *table) count(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if legal(name) {
		t.reached[name]++
		return t.reached[name]
	}
	if !t.refused {
		t.refused = true
		say(fmt.Sprintf("point %.80q is ignored: a name has 1 to 64 of A-Z a-z 0-9 . _ / -", name))
	}
	return 0
}

func (e entry) act(name string) {
	switch e.action {
	case "kill":
		kill()
	case "stop":
		stop()
	case "pause":
		time.Sleep(e.pause)
	case "unix":
		meet(e.path, name)
	}
}

// say tells the people who read the log of the worker; it never fails.
func say(line string) { fmt.Fprintln(os.Stderr, "idemcheck: "+line) }
