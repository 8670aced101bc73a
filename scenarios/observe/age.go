package observe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/internal/template"
)

// An ager makes deduplication records older than they are: its method
//
//	Age(ctx context.Context, q Query, by time.Duration) error
//
// ages those of the ids and keys asked for. An ager that is not told how far
// (AgeSQL without :seconds, AgeHTTP without ${seconds}) does what it always
// does. To have aged nothing is an error.

// AgeWait ages by waiting for real.
type AgeWait struct {
	Most time.Duration // a longer wait is an error at once
}

// Age waits.
func (w AgeWait) Age(ctx context.Context, _ Query, by time.Duration) error {
	if by > w.Most {
		return fmt.Errorf("age: a wait of %s is longer than the run may take (limits: run is %s)", by, w.Most)
	}
	t := time.NewTimer(by)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// inSeconds is a duration as a decimal number of seconds: 90000, 2.2.
func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// each is what templates that use these names are rendered for, in turn: the
// keys asked for if ${key} is one, the ids if ${id} is, else all at once.
func each(q Query, names []string) []template.Vars {
	all := template.Vars{Run: q.Run, Scope: q.Scope}
	var vars []template.Vars
	switch {
	case slices.Contains(names, "key"):
		for _, name := range distinct(q.Keys) {
			all.Key = name
			vars = append(vars, all)
		}
	case slices.Contains(names, "id"):
		for _, name := range distinct(q.IDs) {
			all.ID = name
			vars = append(vars, all)
		}
	default:
		return []template.Vars{all}
	}
	return vars
}
