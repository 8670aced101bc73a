package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Points is where the points of code (package point) of the workers meet the
// tool: a unix socket, whose path goes into IDEMCHECK_POINTS.
type Points struct {
	listener net.Listener
	path     string
	temp     string // a directory of its own; "": none
	hook     atomic.Pointer[Hook]
	calls    atomic.Int64
	work     sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool // nil: closed
}

// OpenPoints listens on a unix socket in dir, or in a directory for temporary
// files if the path would be longer than a socket can have.
func OpenPoints(dir string) (*Points, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("points: a worker meets the tool at a unix socket, which is not done on Windows: switch them off (points: false) and use links")
	}
	p := &Points{path: filepath.Join(dir, "points.sock"), open: map[net.Conn]bool{}}
	if len(p.path) > longest || strings.Contains(p.path, ";") {
		temp, err := os.MkdirTemp("/tmp", "idemcheck-points-")
		if err != nil {
			return nil, fmt.Errorf("points: %w", err)
		}
		p.temp, p.path = temp, filepath.Join(temp, "points.sock")
	}
	listener, err := net.Listen("unix", p.path)
	if err != nil {
		p.removeTemp()
		return nil, fmt.Errorf("points: %w", err)
	}
	p.listener = listener
	p.work.Go(p.accept)
	return p, nil
}

// Env is the line for the environment of a worker: "IDEMCHECK_POINTS=*=unix:/tmp/x/points.sock".
func (p *Points) Env() string { return "IDEMCHECK_POINTS=*=unix:" + p.path }

// Watch makes h see every point that is met from now on; nil: all go on at once.
func (p *Points) Watch(h Hook) {
	if h == nil {
		p.hook.Store(nil)
		return
	}
	p.hook.Store(&h)
}

// Close lets all go on and removes the socket. A Hook that holds a point holds Close too.
func (p *Points) Close() error {
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	err := p.listener.Close()
	for c := range open {
		c.Close()
	}
	p.work.Wait()
	p.removeTemp()
	if open == nil {
		return nil // closed before
	}
	return err
}

func (p *Points) removeTemp() {
	if p.temp != "" {
		os.RemoveAll(p.temp)
	}
}

func (p *Points) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		if !p.add(c) {
			c.Close()
			continue
		}
		p.work.Go(func() {
			p.meet(c)
			p.remove(c)
		})
	}
}

func (p *Points) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		return false
	}
	p.open[c] = true
	return true
}

func (p *Points) remove(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// meet is one meeting: "at NAME PID", the hook, "go".
func (p *Points) meet(c net.Conn) {
	name, pid, err := readMeeting(bufio.NewReaderSize(c, 128))
	if errors.Is(err, errNobody) {
		return
	}
	if err != nil {
		fmt.Fprintf(c, "error %v\n", err)
		return
	}
	if hook := p.hook.Load(); hook != nil {
		n := p.calls.Add(1)
		(*hook)(Step{Name: name, Conn: int(n), Call: n, From: "pid " + pid, Text: "pid " + pid}) // there is no answer to lose
	}
	_, _ = io.WriteString(c, "go\n")
}

// errNobody: the other side went away before it had said a line.
var errNobody = errors.New("nobody is there")

// readMeeting reads the line "at NAME PID".
func readMeeting(r *bufio.Reader) (name, pid string, err error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", "", fmt.Errorf("the line is longer than %d bytes", r.Size())
	}
	if err != nil {
		return "", "", errNobody
	}
	fields := strings.Split(strings.TrimSuffix(string(line), "\n"), " ")
	if len(fields) != 3 || fields[0] != "at" {
		return "", "", fmt.Errorf("%q is not: at NAME PID", short(string(line)))
	}
	name, pid = fields[1], fields[2]
	if name == "" || len(name) > 64 || !only(name, isNameByte) {
		return "", "", fmt.Errorf("name %q: use 1 to 64 of A-Z a-z 0-9 . _ / -", name)
	}
	if pid == "" || len(pid) > 10 || !only(pid, isDigit) {
		return "", "", fmt.Errorf("pid %q is no number", pid)
	}
	return name, pid, nil
}

func only(text string, legal func(byte) bool) bool {
	for i := range len(text) {
		if !legal(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("._/-", c) >= 0
}
