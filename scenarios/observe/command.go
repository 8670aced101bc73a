package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	commandTime = 10 * time.Second // of a user's command
	maxOutput   = 1 << 20          // bytes of its output
)

// asked is what a command reads from its standard input.
type asked struct {
	IDs     []string `json:"ids"`
	Keys    []string `json:"keys"`
	Run     string   `json:"run"`
	Scope   string   `json:"scope,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`
}

func question(q Query) asked {
	return asked{IDs: list(q.IDs), Keys: list(q.Keys), Run: q.Run, Scope: q.Scope}
}

// list is a list that JSON does not write as null.
func list(names []string) []string { return append([]string{}, distinct(names)...) }

// command runs a program of the user's: no shell, our environment and more, the
// question as JSON on its standard input. Its time and output are bounded; with
// it end the processes that it started.
func command(ctx context.Context, argv []string, q asked, env ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTime, fmt.Errorf("not done within %s", commandTime))
	defer cancel()
	input, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	out, errs := &bounded{most: maxOutput, ends: true}, &bounded{most: 64 << 10}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(append(input, '\n')), out, errs
	c.Env = append(os.Environ(), env...)
	c.WaitDelay = time.Second
	ownGroup(c)
	err = c.Run()
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case out.over:
		err = fmt.Errorf("it wrote more than %d MiB", maxOutput>>20)
	case err != nil:
		err = fmt.Errorf("%w%s", err, tail(errs.kept.Bytes()))
	}
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", argv[0], err)
	}
	return out.kept.Bytes(), nil
}

// runnable tells whether the program of a command is there.
func runnable(argv []string) error {
	if len(argv) == 0 {
		return errors.New("command: it names no program")
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return fmt.Errorf("command %s: %w", argv[0], err)
	}
	return nil
}

// tail is the end of what a command said about its failure.
func tail(said []byte) string {
	const most = 300
	text := strings.TrimSpace(strings.ToValidUTF8(string(said), "?"))
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = "..." + strings.ToValidUTF8(text[len(text)-most:], "?")
	}
	return ": " + text
}

// bounded keeps the beginning of what is written to it. Then it reads on, or
// ends the writer with an error.
type bounded struct {
	kept bytes.Buffer
	most int
	ends bool
	over bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.kept.Len()
	b.over = b.over || len(p) > room
	n, _ := b.kept.Write(p[:min(len(p), room)]) // it always can
	if b.ends && b.over {
		return n, io.ErrShortWrite
	}
	return len(p), nil
}
