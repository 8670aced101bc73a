package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

var journals = regexp.MustCompile(`^([0-9a-f]{32})\.journal$`)

// undoFile undoes what one journal left behind, if its tool is gone, and says what.
func undoFile(path string) []string {
	name := journals.FindStringSubmatch(filepath.Base(path))
	if name == nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	notes := readNotes(path)
	if !abandoned(f, notes) {
		return nil
	}
	said, err := undo(name[1], notes)
	if err == nil {
		_ = os.Remove(path)
	}
	return said
}

// abandoned reports whether nobody holds the journal, and takes it. A child
// that was being made when its tool was killed holds it for one more moment.
func abandoned(f *os.File, notes []note) bool {
	free := func() bool { return tryLock(f) }
	if free() {
		return true
	}
	if len(notes) > 0 && notes[0].Tool != 0 {
		if start, alive := birth(notes[0].Tool); !alive || start != notes[0].Start {
			return until(time.Second, free, "it is held") == nil
		}
	}
	return false
}

const left = ", left by a run that was killed"

// undo ends the processes and removes the sockets, and says so; the error is what
// could not be ended.
func undo(token string, notes []note) (said []string, err error) {
	h := hunt{struck: map[int]remain{}, failed: map[int]error{}, begun: time.Now()}
	err = until(bound, func() bool { return h.look(remains(token, notes)) }, "worker processes were sent SIGKILL and are not gone after "+bound.String())
	if err != nil {
		h.said = append(h.said, err.Error()+left)
	}
	for _, n := range notes {
		if n.File != "" && removeSocket(n.File) {
			h.said = append(h.said, "removed the socket "+n.File+left)
		}
	}
	return h.said, errors.Join(err, h.missed())
}

// removeSocket removes a unix socket where nobody listens, and nothing else.
func removeSocket(path string) bool {
	if s, err := os.Lstat(path); err != nil || s.Mode().Type() != fs.ModeSocket {
		return false
	}
	err := connect(context.Background(), "unix:"+path)
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(path) == nil
}
