package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

var tokens = regexp.MustCompile(`^[0-9a-f]{32}$`)

// undoFile undoes what one journal left behind, if its tool is gone, and says what.
func undoFile(path string) []string {
	token := strings.TrimSuffix(filepath.Base(path), suffix)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil || !tokens.MatchString(token) {
		return nil
	}
	defer f.Close()
	notes := readNotes(path)
	if !abandoned(f, notes) {
		return nil
	}
	said, all := undo(token, notes)
	if all {
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

// undo ends the processes and removes the sockets, says so, and reports whether
// that was all. Two looks in a row must find nothing: a process that is just
// becoming another program has no environment.
func undo(token string, notes []note) (said []string, all bool) {
	const left = ", left by a run that was killed"
	struck, failed := map[int]bool{}, map[int]error{}
	clean := 0
	err := until(bound, func() bool {
		clean++
		for _, r := range remains(token, notes) {
			if failed[r.pid] != nil {
				continue
			}
			clean = 0
			if err := r.kill(); err != nil {
				failed[r.pid] = fmt.Errorf("could not kill worker %s (pid %d): %w", r.name, r.pid, err)
			} else if !struck[r.pid] {
				struck[r.pid] = true
				said = append(said, fmt.Sprintf("killed worker %s (pid %d)%s%s", r.name, r.pid, r.paused(), left))
			}
		}
		return clean == 2
	}, "worker processes were sent SIGKILL and are not gone after "+bound.String())
	for _, err := range failed {
		said = append(said, err.Error()+left)
	}
	if err != nil {
		said = append(said, err.Error()+left)
	}
	for _, n := range notes {
		if n.File != "" && removeSocket(n.File) {
			said = append(said, "removed the socket "+n.File+left)
		}
	}
	return said, err == nil && len(failed) == 0
}

// remain is a process that a tool left behind.
type remain struct {
	pid     int
	name    string // of the worker
	stopped bool
	still   func() bool // it is the one that was found, not another of its number
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
		return nil //nolint:nilerr // there is none
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

// removeSocket removes a unix socket where nobody listens, and nothing else.
func removeSocket(path string) bool {
	if s, err := os.Lstat(path); err != nil || s.Mode().Type() != fs.ModeSocket {
		return false
	}
	err := connect(context.Background(), "unix:"+path)
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(path) == nil
}

var globMeta = regexp.MustCompile(`[*?\[\\]`)

func escapeGlob(dir string) string { return globMeta.ReplaceAllString(dir, `\$0`) }
