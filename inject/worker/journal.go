package worker

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Journal notes what would remain if the tool were killed. It is a file that
// is locked for as long as the tool lives, and a token that every process of
// a worker has in its environment.
//
// On Linux what remains is found by the token or by number and start time of a
// process; elsewhere by number and start time alone, so that what a worker
// started itself can be missed. Where there are no process groups it does nothing.
type Journal struct {
	token string

	mu   sync.Mutex
	file *os.File // nil: closed
	path string
}

// note is a line of the file.
type note struct {
	Tool   int    `json:"tool,omitempty"` // the first line: who writes
	Worker string `json:"worker,omitempty"`
	Pid    int    `json:"pid,omitempty"`
	Start  string `json:"start,omitempty"` // of Tool or Pid: another with this number has another one
	File   string `json:"file,omitempty"`
}

const (
	suffix   = ".journal"
	variable = "IDEMCHECK_JOURNAL" // TOKEN:WORKER
)

// OpenJournal first undoes what is left in dir by tools that were killed, and
// says what that was; then it begins a journal of its own. What it could not
// undo it says as well, and tries again the next time.
func OpenJournal(dir string) (j *Journal, undone []string, err error) {
	if !canLock {
		return nil, nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	one, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	defer one.Close()
	if err := lock(one); err != nil { // one tool at a time undoes, or begins
		return nil, nil, fmt.Errorf("lock %s: %w", one.Name(), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		undone = append(undone, undoFile(filepath.Join(dir, f.Name()))...)
	}
	j, err = begin(dir)
	return j, undone, err
}

// begin makes a journal and locks it.
func begin(dir string) (*Journal, error) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	j := &Journal{token: hex.EncodeToString(random)}
	j.path = filepath.Join(dir, j.token+suffix)
	var err error
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	if err = lock(j.file); err == nil {
		start, _ := birth(os.Getpid())
		err = j.write(note{Tool: os.Getpid(), Start: start})
	}
	if err != nil {
		_ = j.file.Close()
		return nil, errors.Join(err, os.Remove(j.path))
	}
	return j, nil
}

// File notes a file that must not remain, such as a unix socket: before it is
// made. Only a socket where nobody listens is ever removed.
func (j *Journal) File(path string) error {
	path, err := filepath.Abs(path)
	if j == nil || err != nil {
		return err
	}
	return j.write(note{File: path})
}

// Close ends what is left of the workers, what left its group included, and
// removes the journal. An error says what could not be ended, or removed.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	defer func() { _ = j.file.Close(); j.file = nil }()
	_, err := undo(j.token, readNotes(j.path))
	return j.over(err)
}

// over removes the journal, unless something is left for the next start to undo.
func (j *Journal) over(left error) error {
	if left != nil {
		return fmt.Errorf("%w\nidemcheck tries again when it is started next", left)
	}
	return os.Remove(j.path)
}

// env is what a worker must have in its environment.
func (j *Journal) env(name string) []string {
	if j == nil {
		return nil
	}
	return []string{variable + "=" + j.token + ":" + name}
}

// started notes a process that its environment alone might not betray.
func (j *Journal) started(name string, pid int) error {
	if j == nil {
		return nil
	}
	start, alive := birth(pid)
	if !alive {
		return nil
	}
	return j.write(note{Worker: name, Pid: pid, Start: start})
}

// write hands a line to the system, whole and at once.
func (j *Journal) write(n note) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return os.ErrClosed
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// readNotes are the lines that can be read: a tool that was killed may have
// left a half one.
func readNotes(path string) (notes []note) {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		var n note
		if json.Unmarshal([]byte(line), &n) == nil {
			notes = append(notes, n)
		}
	}
	return notes
}
