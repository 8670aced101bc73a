package proxy

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// toggle is the switch: off by a signal, or while a file exists.
type toggle struct {
	file   string
	change func(on bool, why string)

	manual, byFile atomic.Bool // off
	mu             sync.Mutex
	told           bool // that it is off
}

func (t *toggle) on() bool { return !t.manual.Load() && !t.byFile.Load() }

// why says what keeps it off; "": it is on.
func (t *toggle) why() string {
	switch {
	case t.manual.Load():
		return "switched off"
	case t.byFile.Load():
		return "the file " + t.file + " is there"
	}
	return ""
}

func (t *toggle) set(on bool) {
	t.manual.Store(!on)
	t.tell()
}

// look asks for the file.
func (t *toggle) look() {
	if t.file == "" {
		return
	}
	_, err := os.Stat(t.file)
	t.byFile.Store(err == nil || !os.IsNotExist(err)) // what can not be looked at is taken as off
	t.tell()
}

func (t *toggle) tell() {
	t.mu.Lock()
	why := t.why()
	changed := (why != "") != t.told
	t.told = why != ""
	t.mu.Unlock()
	if changed && t.change != nil {
		t.change(why == "", why)
	}
}

// watch looks for the file each second until stop is closed.
func (t *toggle) watch(stop <-chan struct{}) {
	if t.file == "" {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.look()
		case <-stop:
			return
		}
	}
}
