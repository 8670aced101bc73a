package worker

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Ready says how to see that a worker can take work. All that is given must be
// seen; without any it is ready when it runs.
type Ready struct {
	URL    string        // answers 2xx
	Addr   string        // accepts connections: "127.0.0.1:8080", "unix:/run/x.sock"
	Line   string        // a regular expression that a line of its output matches
	Within time.Duration // 0: 30 s
}

// wait returns when the process is ready, has ended, or took too long.
func (r Ready) wait(ctx context.Context, p *process, probes []probe) error {
	within := cmp.Or(r.Within, 30*time.Second)
	limit, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("not ready after %s", within))
	defer cancel()
	if r.Line != "" {
		select {
		case <-p.out.matched:
		case <-p.done:
			return ended(p)
		case <-limit.Done():
			return fmt.Errorf("%w: it printed no line that matches %q", context.Cause(limit), r.Line)
		}
	}
	for _, probe := range probes {
		if err := poll(ctx, limit, p, probe); err != nil {
			return err
		}
	}
	if !p.alive() {
		return ended(p)
	}
	return nil
}

// poll asks until there is an answer: at first every millisecond, so that a
// restart takes little longer than the worker itself. The limit ends no try, so
// that the error is what the worker last said, not that it was too late.
func poll(ctx, limit context.Context, p *process, probe probe) error {
	step := time.NewTimer(0)
	defer step.Stop()
	for wait := time.Millisecond; ; wait = min(wait*9/8, 20*time.Millisecond) {
		err := probe.ask(ctx)
		if err == nil {
			return nil
		}
		step.Reset(wait)
		select {
		case <-p.done:
			return ended(p)
		case <-limit.Done():
			return fmt.Errorf("%w: %w", context.Cause(limit), err)
		case <-step.C:
		}
	}
}

func ended(p *process) error { return fmt.Errorf("ended before it was ready: %s", p.how) }
