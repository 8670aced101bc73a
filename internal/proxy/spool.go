package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// store bounds what all spools hold together.
type store struct {
	memory, disk         atomic.Int64 // bytes in use
	mostMemory, mostDisk int64
	each                 int64 // bytes of one spool in memory
	dir                  string
}

const (
	storeMemory = 64 << 20
	storeDisk   = 1 << 30
	storeEach   = 1 << 20
)

func newStore() *store {
	return &store{mostMemory: storeMemory, mostDisk: storeDisk, each: storeEach, dir: os.TempDir()}
}

// errFull says that there is no room.
var errFull = errors.New("no room is left to keep the request")

// spool keeps the bytes of one message: in memory, then in a file that has no
// name any more where the system can do that. It is written by one goroutine and
// then read by others.
type spool struct {
	store *store
	only  int64 // bytes that are kept in memory, without a file behind; 0: no such limit

	mu     sync.Mutex
	memory []byte
	file   *os.File
	size   int64 // of all that was written, kept or not
	onDisk int64
	claim  int64 // room on disk that is its own: written or not
	err    error // what came was not kept, from here on
	closed bool
}

// beginning keeps no more than n bytes and counts the rest.
func (s *store) beginning(n int64) *spool { return &spool{store: s, only: n} }

// Write implements io.Writer. It never fails: what cannot be kept is only counted.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size += int64(len(p))
	if s.err == nil && !s.closed {
		s.err = s.keep(p)
	}
	return len(p), nil
}

func (s *spool) keep(p []byte) error {
	if s.file == nil {
		if most := s.only; most > 0 && int64(len(s.memory)+len(p)) > most {
			room := p[:most-int64(len(s.memory))]
			s.remember(room)
			return errFull
		}
		if s.only > 0 || int64(len(s.memory)+len(p)) <= s.store.each {
			if s.remember(p) {
				return nil
			}
			if s.only > 0 {
				return errFull
			}
		}
		if err := s.open(); err != nil {
			return err
		}
	}
	if more := s.onDisk + int64(len(p)) - s.claim; more > 0 && !s.reserve(more) {
		return errFull
	}
	s.onDisk += int64(len(p))
	_, err := s.file.Write(p)
	return err
}

// reserve claims room on disk.
func (s *spool) reserve(n int64) bool {
	if s.store.disk.Add(n) > s.store.mostDisk {
		s.store.disk.Add(-n)
		return false
	}
	s.claim += n
	return true
}

// spoolOf is a spool for a message of a known length, or of none (-1); nil if there
// is no room for it.
func (s *store) spoolOf(length int64) *spool {
	p := &spool{store: s}
	if length > s.each && !p.reserve(length) {
		return nil
	}
	return p
}

// remember keeps p in memory if there is room.
func (s *spool) remember(p []byte) bool {
	if s.store.memory.Add(int64(len(p))) > s.store.mostMemory {
		s.store.memory.Add(-int64(len(p)))
		return false
	}
	s.memory = append(s.memory, p...)
	return true
}

// open makes the file. The name goes at once, or where that cannot be, at the end.
func (s *spool) open() (err error) {
	if s.store.disk.Load() >= s.store.mostDisk {
		return errFull
	}
	if s.file, err = os.CreateTemp(s.store.dir, "idemcheck-proxy-"); err == nil {
		_ = os.Remove(s.file.Name())
	}
	return err
}

// whole tells whether all that was written was kept.
func (s *spool) whole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err == nil && !s.closed
}

// reader reads what was kept; several may read.
func (s *spool) reader() io.Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return io.MultiReader(bytes.NewReader(s.memory), io.NewSectionReader(s.file, 0, s.onDisk))
}

// bytes are at most n of the bytes that were kept.
func (s *spool) bytes(n int64) []byte {
	b, _ := io.ReadAll(io.LimitReader(s.reader(), n)) // what can not be read is not there
	return b
}

// length is the number of bytes that were written.
func (s *spool) length() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// close gives back what the spool holds.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.store.memory.Add(-int64(len(s.memory)))
	s.store.disk.Add(-s.claim)
	s.memory = nil
	if s.file != nil {
		name := s.file.Name()
		s.file.Close()
		_ = os.Remove(name) // it is gone already where the system could do that
	}
}
