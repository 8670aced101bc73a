package inject

import (
	"encoding/json"
	"io"
	"sync"
)

// word is what a test and a process say to each other, a line of JSON each.
//
//	test     deliver N ID    do your work for an operation
//	test     go K FAULT      the answer to K
//	process  ready           it can take work
//	process  done N ERROR    the answer to a delivery
//	process  effect K N ID   an effect is there: record it, strike, then say go
//	process  undo K ID       one is taken back
//	process  strike K N ID   a COMMIT is ahead: what does it meet?
//	process  fired K N ID    and it has met it
//	process  error K TEXT    something could not be done
type word struct {
	Say     string   `json:"say"`
	N       int      `json:"n,omitempty"`       // of the delivery
	K       int      `json:"k,omitempty"`       // of the question
	ID      string   `json:"id,omitempty"`      // of the operation
	IDs     []string `json:"ids,omitempty"`     // deliver: ids of the run that it has not been told yet
	Running int      `json:"running,omitempty"` // deliver: how many attempts of the operation run
	By      string   `json:"by,omitempty"`      // effect: the observer
	Effects bool     `json:"effects,omitempty"` // strike: there are some
	Fault   *Fault   `json:"fault,omitempty"`   // go, fired
	Text    string   `json:"text,omitempty"`    // done, error; fired: the moment
}

// line writes words; it may be used by many goroutines.
type line struct {
	mu sync.Mutex
	to *json.Encoder
}

func newLine(w io.Writer) *line { return &line{to: json.NewEncoder(w)} }

func (l *line) say(w word) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Encode(w)
}
