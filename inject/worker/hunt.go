package worker

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"
)

// hunt ends processes until none is found.
type hunt struct {
	struck map[int]remain
	failed map[int]error
	said   []string
	begun  time.Time
	clean  int // looks in a row that found nothing
}

// look strikes what is found, and reports whether all is over. Two looks in a
// row must find nothing: a process that is just becoming another program has no
// environment.
func (h *hunt) look(found []remain) bool {
	h.clean++
	for _, r := range found {
		switch {
		case h.failed[r.pid] != nil:
		case r.dying: // it may have been a worker; a stranger that never gets there is not waited for long
			if time.Since(h.begun) < time.Second {
				h.clean = 0
			}
		default:
			h.clean = 0
			h.strike(r)
		}
	}
	for _, r := range h.struck {
		if r.still() {
			h.clean = 0
		}
	}
	return h.clean == 2
}

func (h *hunt) strike(r remain) {
	if err := r.kill(); err != nil {
		h.failed[r.pid] = err
		h.said = append(h.said, fmt.Sprintf("could not kill worker %s (pid %d)%s: %v", r.name, r.pid, left, err))
	} else if _, again := h.struck[r.pid]; !again {
		h.struck[r.pid] = r
		h.said = append(h.said, fmt.Sprintf("killed worker %s (pid %d)%s%s", r.name, r.pid, r.paused(), left))
	}
}

// missed are those that could not be ended.
func (h *hunt) missed() (err error) {
	for _, pid := range slices.Sorted(maps.Keys(h.failed)) {
		err = errors.Join(err, fmt.Errorf("a worker's process %d could not be killed: %w", pid, h.failed[pid]))
	}
	return err
}

// remain is a process that a tool left behind.
type remain struct {
	pid     int
	name    string      // of the worker
	dying   bool        // it ends by itself, and may be another's
	stopped bool        // it was paused
	still   func() bool // it lives, and is the one that was found, not another of its number
}

func (r remain) paused() string {
	if r.stopped {
		return ", which was paused"
	}
	return ""
}

// kill ends the process, and no other: the handle is had before it is looked at again.
func (r remain) kill() error {
	p, err := os.FindProcess(r.pid)
	if err != nil {
		return nil // there is none
	}
	defer func() { _ = p.Release() }()
	if !r.still() {
		return nil
	}
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
