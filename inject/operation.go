package inject

import (
	"hash/fnv"
	"strings"
	"time"
)

// operation is what a run knows of one operation. Run.mu guards it.
type operation struct {
	id       string
	number   int
	requests map[string]int     // attempts of the caller, by site
	copies   int                // attempts, those that faults added included
	effects  map[string]int     // by observer
	accepted bool               // an attempt was
	answer   time.Time          // when the last one was
	keys     map[string]bool    // that providers have done work under, by host
	failing  map[string]failure // of providers that are to go on failing
	running  []*attempt
	waiting  int           // attempts that stand at their effect until the others come
	meeting  int           // how often all had come
	changed  chan struct{} // closed when one of these has changed
}

// know makes the operation of an id, if there is none. It is called with mu held.
func (r *Run) know(id string, number int) *operation {
	op := r.ops[id]
	if op == nil {
		op = &operation{id: id, number: number, effects: map[string]int{}, requests: map[string]int{}}
		r.ops[id] = op
		if !oneWord(id) {
			r.odd = append(r.odd, id)
		}
	}
	return op
}

// numbered is the number of an operation whose id the user made: it must not
// depend on which goroutine came first.
func numbered(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32())
}

// operation is what is known of an id; nil if nothing is.
func (r *Run) operation(id string) *operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ops[id]
}

// some are the first of many names.
func some(names []string) string {
	const most = 3
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
