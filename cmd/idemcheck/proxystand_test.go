package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
)

// standing is a proxy that runs in this process, by its command line.
type standing struct {
	URL, Page string
	Dir       string // of its run
	cancel    context.CancelFunc
	ended     chan struct{}
	said      lockedBuffer // what people are told while it runs
	out       bytes.Buffer // the report; to be read when it has ended
	code      int
}

// lockedBuffer is a buffer for one writer and one reader.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// stand runs idemcheck proxy with these arguments on a free port, until the test ends or end is called.
func stand(t *testing.T, args ...string) *standing {
	t.Helper()
	return standFile(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
}

// standFile leaves it to the file where the proxy listens.
func standFile(t *testing.T, args ...string) *standing {
	t.Helper()
	s := &standing{ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	root := rootCommand()
	root.SetArgs(append([]string{"proxy"}, args...))
	r, w := io.Pipe()
	root.SetOut(&s.out)
	root.SetErr(w)
	go func() {
		defer close(s.ended)
		err := root.ExecuteContext(ctx)
		if exit := (*exitError)(nil); errors.As(err, &exit) {
			s.code = exit.code
		} else if err != nil {
			s.code = exitUsage
		}
		if err != nil {
			io.WriteString(&s.said, err.Error()+"\n")
		}
		w.Close()
	}()
	t.Cleanup(func() { s.end() })
	s.listen(t, r)
	return s
}

// listen reads where it listens, and goes on to read what is said.
func (s *standing) listen(t *testing.T, r io.Reader) {
	t.Helper()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		io.WriteString(&s.said, line)
		words := strings.Fields(line)
		switch {
		case err != nil || len(words) < 2:
		case words[0] == "listens":
			s.URL = words[2]
		case words[0] == "page":
			s.Page = words[1]
		case words[0] == "kept":
			s.Dir = words[len(words)-1]
		case words[0] == "at": // the last of the lines at the start
			go io.Copy(&s.said, lines)
			return
		}
		if err != nil {
			break
		}
	}
	<-s.ended
	t.Fatalf("the proxy ended at its start, code %d:\n%s", s.code, s.said.String())
}

// end drains the proxy, and returns its exit code and what it printed.
func (s *standing) end() (code int, report string) {
	s.cancel()
	<-s.ended
	return s.code, s.out.String()
}
