package proxy

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// passages writes each request that passed as two events of the case "traffic":
// what was asked (its route, not its values) and how it ended. It does so itself
// and not by a history.Recorder, which keeps and redacts bodies: there are none
// here, and this is done for every request.
type passages struct {
	files  *volumes
	header func() history.Header
	start  time.Time
	run    string
	full   chan struct{}
	stop   chan struct{}
	done   chan struct{}

	mu        sync.Mutex
	buf, back []byte // back is written, buf is filled
	seq       int64  // in the current file
	count     int64  // of all requests
	size      int64  // of the current file with buf
	turns     []int  // where in buf another file begins
	err       error
}

const (
	passBuffer = 256 << 10
	passWait   = 50 * time.Millisecond
	passMost   = 8 << 20 // bytes that wait for a disk that is slow; more are dropped
)

func newPassages(files *volumes, start time.Time, run string, header func() history.Header) *passages {
	p := &passages{files: files, header: header, start: start, run: run, full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go p.write()
	return p
}

// add records one request.
func (p *passages) add(route string, key []byte, begin time.Time, took time.Duration, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if p.err != nil || len(p.buf) > passMost {
		return
	}
	before, at := len(p.buf), int64(begin.Sub(p.start))
	if p.size == 0 || p.size >= p.files.file {
		before = p.newFile(at)
	}
	p.line(at, history.Invoke, route, key, 0)
	p.line(at+int64(took), history.Kind(traffic.Class(status)), route, nil, status)
	p.size += int64(len(p.buf) - before)
	if before < passBuffer && len(p.buf) >= passBuffer {
		select {
		case p.full <- struct{}{}:
		default:
		}
	}
}

// newFile ends a file and begins another, in the buffer; it is called with mu held.
func (p *passages) newFile(at int64) (begin int) {
	p.endFile(at)
	begin = len(p.buf)
	p.turns, p.seq, p.size = append(p.turns, begin), 0, 0
	p.mark(at, `"name":"skipped","case":"traffic","cause":"these requests passed as they were: there is nothing to judge"`)
	return begin
}

// endFile appends the mark of a file's end; it is called with mu held.
func (p *passages) endFile(at int64) {
	if p.size > 0 {
		p.mark(at, `"name":"end"`)
	}
}

func (p *passages) mark(at int64, rest string) {
	p.seq++
	b := strconv.AppendInt(append(p.buf, `{"seq":`...), p.seq, 10)
	b = strconv.AppendInt(append(b, `,"at":`...), at, 10)
	p.buf = append(append(append(b, `,"kind":"mark",`...), rest...), '}', '\n')
}

// line appends one event. It is called with mu held.
func (p *passages) line(at int64, kind history.Kind, route string, key []byte, status int) {
	p.seq++
	b := strconv.AppendInt(append(p.buf, `{"seq":`...), p.seq, 10)
	b = strconv.AppendInt(append(b, `,"at":`...), at, 10)
	b = append(append(b, `,"kind":"`...), kind...)
	b = append(append(b, `","case":"traffic","op":"`...), p.run...)
	b = strconv.AppendInt(append(b, '-'), p.count, 10)
	b = appendQuoted(append(b, `","name":`...), route)
	if len(key) > 0 {
		b = appendQuoted(append(b, `,"key":`...), key)
	}
	b = append(b, `,"attempt":1,"actor":"client"`...)
	if kind != history.Invoke {
		b = append(b, `,"status":"`...)
		if status == 0 {
			b = append(b, "reset"...)
		} else {
			b = strconv.AppendInt(b, int64(status), 10)
		}
		b = append(b, '"')
	}
	p.buf = append(b, '}', '\n')
}

// appendQuoted is a text as JSON.
func appendQuoted[T string | []byte](b []byte, s T) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			text, _ := json.Marshal(string(s)) // a string can always be written
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// write hands what has gathered to the files.
func (p *passages) write() {
	defer close(p.done)
	tick := time.NewTicker(passWait)
	defer tick.Stop()
	for {
		select {
		case <-p.full:
		case <-tick.C:
		case <-p.stop:
			p.flush()
			return
		}
		p.flush()
	}
}

func (p *passages) flush() {
	p.mu.Lock()
	b, turns := p.buf, p.turns
	p.buf, p.back, p.turns = p.back[:0], nil, nil
	p.mu.Unlock()
	err := p.out(b, turns)
	p.mu.Lock()
	if p.back = b[:0]; cap(b) > 4*passBuffer {
		p.back = nil
	}
	if err != nil && p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
}

func (p *passages) out(b []byte, turns []int) error {
	from := 0
	for _, at := range turns {
		if err := p.put(b[from:at]); err != nil {
			return err
		}
		from = at
		w, err := p.files.next()
		if err != nil {
			return err
		}
		if err := writeHeader(w, p.header()); err != nil {
			return err
		}
	}
	return p.put(b[from:])
}

func (p *passages) put(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := p.files.Write(b)
	return err
}

// close writes what is left.
func (p *passages) close() error {
	p.mu.Lock()
	p.endFile(int64(time.Since(p.start)))
	p.mu.Unlock()
	close(p.stop)
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.files.close(); p.err == nil {
		p.err = err
	}
	return p.err
}
