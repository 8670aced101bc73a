package worker

import "errors"

// Journal notes what would remain if the tool were killed.
type Journal struct{}

// OpenJournal first undoes what is left in dir by tools that were killed, and
// says what that was; then it begins a journal of its own.
func OpenJournal(dir string) (j *Journal, undone []string, err error) {
	return nil, nil, errors.New("worker: not built yet")
}

// File notes a file that must not remain, such as a unix socket.
func (j *Journal) File(path string) error { return nil }

// Close removes the journal.
func (j *Journal) Close() error { return nil }

func (j *Journal) env(name string) []string           { return nil }
func (j *Journal) started(name string, pid int) error { return nil }
