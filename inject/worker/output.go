package worker

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	keptLines = 20
	keptBytes = 500     // of a line
	lineBytes = 1 << 16 // a longer line is taken for several
)

// output reads what a group prints.
type output struct {
	pipe    *os.File // the end that is read
	log     *os.File // nil: nothing is kept
	ready   *regexp.Regexp
	matched chan struct{} // closed when a line matched
	ended   chan struct{} // closed when all was read

	mu      sync.Mutex
	lines   []string
	partial []byte
}

// newOutput reads what is written to the pipe that it returns.
func newOutput(log, ready string) (o *output, pipe *os.File, err error) {
	o = &output{matched: make(chan struct{}), ended: make(chan struct{})}
	if ready != "" {
		if o.ready, err = regexp.Compile(ready); err != nil {
			return nil, nil, err
		}
	}
	if log != "" {
		if o.log, err = os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return nil, nil, err
		}
	}
	if o.pipe, pipe, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	go o.read()
	return o, pipe, nil
}

func (o *output) read() {
	defer close(o.ended)
	buffer := make([]byte, 32<<10)
	for {
		n, err := o.pipe.Read(buffer)
		if o.log != nil {
			_, _ = o.log.Write(buffer[:n]) // a full disk must not stop the worker
		}
		o.split(buffer[:n])
		if err != nil {
			return
		}
	}
}

// split keeps whole lines and holds them against the pattern.
func (o *output) split(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.partial = append(o.partial, b...)
	for {
		end := bytes.IndexByte(o.partial, '\n')
		if end < 0 && len(o.partial) < lineBytes {
			return
		}
		line, rest := o.partial, []byte(nil)
		if end >= 0 {
			line, rest = o.partial[:end], o.partial[end+1:]
		}
		o.line(strings.TrimSuffix(string(line), "\r"))
		o.partial = rest
	}
}

func (o *output) line(text string) {
	if o.ready != nil && o.ready.MatchString(text) {
		close(o.matched)
		o.ready = nil
	}
	if o.lines = append(o.lines, text[:min(len(text), keptBytes)]); len(o.lines) > keptLines {
		o.lines = o.lines[1:]
	}
}

// finish waits until all was read that the group wrote. A process that left the
// group can hold the pipe open; it is not waited for.
func (o *output) finish() {
	wait := time.NewTimer(bound / 20)
	defer wait.Stop()
	select {
	case <-o.ended:
	case <-wait.C:
	}
	_ = o.pipe.Close()
	<-o.ended
	if o.log != nil {
		_ = o.log.Close()
	}
}

// last are the lines that were printed last, an unfinished one included.
func (o *output) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := slices.Clone(o.lines)
	if len(o.partial) > 0 {
		lines = append(lines, string(o.partial[:min(len(o.partial), keptBytes)]))
	}
	return lines
}

// printed is the end of an error.
func (o *output) printed() string {
	lines := o.last()
	if len(lines) == 0 {
		return "; it printed nothing"
	}
	return "; it printed last:\n    " + strings.Join(lines, "\n    ")
}
