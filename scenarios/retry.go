package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// The gaps between retries: 50 ms, doubled each time, at most 2 s.
const (
	firstGap = 50 * time.Millisecond
	mostGap  = 2 * time.Second
)

// retry delivers a role until its answer is final, the same answer has come again
// and again and is the last word, or the bound has passed: the last attempt begins
// after it, so that one which hung until then is not the last word.
func (c *caseRun) retry(ctx context.Context, s Step) error {
	op, w, err := c.way(ctx, s)
	if err != nil {
		return err
	}
	begun := time.Now()
	gap, equal, before := firstGap, 0, ""
	end := c.endOf(op)
	for wait := c.wait(end); ; wait = max(gap, retryAfter(end.retry, time.Now())) {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		if err := c.mend(ctx); err != nil {
			return err
		}
		gap = min(2*gap, mostGap)
		past := time.Since(begun) // before the attempt
		if end, err = c.send(ctx, op, w); err != nil {
			return err
		}
		if end.final() {
			return nil
		}
		if end.answer != before {
			equal, before = 0, end.answer
		}
		equal++
		if past > c.retryBound() || equal >= c.enough(end) && c.stays(op, past) && c.effectThere(ctx, op) {
			return nil
		}
	}
}

// enough is how many equal answers are the last word: one, where the contract
// says that a repeat of what was done is answered 409.
func (c *caseRun) enough(end ending) int {
	if end.status == "409" && c.sys.Contract.Replay.Has("conflict") {
		return 1
	}
	return 3
}

// stays says whether an answer that comes again and again will not change: the
// operation was accepted before, and this is what its repeats are told; or what
// blocks the key for the time of a stated claim has ended. Until then a service
// may yet take over what it finds unfinished, and do it twice.
func (r *runner) stays(op *live, past time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	claim := r.sys.Contract.Claim
	return op.effective || past >= claim+claim/10
}

// wait is how long a caller waits before its first retry: not at all, if it knows
// already that all is well.
func (c *caseRun) wait(end ending) time.Duration {
	if end.kind == history.OK && len(c.Plan.rounds()) > 1 { // of many rounds the waits add up
		return 0
	}
	return max(firstGap, retryAfter(end.retry, time.Now()))
}

// endOf is how the last attempt of an operation ended.
func (r *runner) endOf(op *live) ending {
	r.mu.Lock()
	defer r.mu.Unlock()
	return op.end
}

// retryBound is how long an operation may take to reach its answer: 30 s, or
// more if the contract lets an in-progress record block the key for longer. A
// service that states a short claim is given 5 s at least.
func (c *caseRun) retryBound() time.Duration {
	claim := c.sys.Contract.Claim
	if claim == 0 {
		return 30 * time.Second
	}
	return max(claim+claim/10, 5*time.Second)
}

// final says that a retry is pointless: done, or refused for good. 409, 423,
// 425 and 429 ask to come again.
func (e ending) final() bool {
	switch e.status {
	case "409", "423", "425", "429", "unreachable":
		return false
	}
	return e.kind == history.OK || e.kind == history.Refused
}

// text is the beginning of the answer on one line.
func (e ending) text() string {
	return fmt.Sprintf("%.200s", strings.Join(strings.Fields(string(e.body)), " "))
}

// said is what came back, for people: "409 {...}", "timeout".
func (e ending) said() string { return strings.TrimSpace(e.status + " " + e.text()) }

// retryAfter is the wait that an answer asks for (RFC 9110, 10.2.3): seconds or a date; at most 30 s.
func retryAfter(text string, now time.Time) time.Duration {
	d := time.Duration(0)
	if n, err := strconv.Atoi(text); err == nil {
		d = time.Duration(n) * time.Second
	} else if t, err := http.ParseTime(text); err == nil {
		d = t.Sub(now)
	}
	return min(max(d, 0), 30*time.Second)
}
