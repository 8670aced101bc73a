package checkers

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// called is how an operation is spoken of: "charge r7k2m9-12".
func called(op *history.Operation) string {
	name := strings.TrimSpace(op.Name + " " + op.ID)
	if strings.HasPrefix(op.ID, op.Name+"-") {
		name = op.ID
	}
	if op.Scope != "" {
		name += " of " + op.Scope
	}
	return name
}

// happened says in the observer's words how often an effect was seen:
// "Order r7k2m9-12 was charged 2 times at card-charge".
func happened(o *history.Observer, op *history.Operation, n int) string {
	what := called(op) + " took effect"
	if o.Say != "" {
		key := ""
		if len(op.Attempts) > 0 {
			key = op.Attempts[0].Begin.Key
		}
		what = strings.NewReplacer("${id}", op.ID, "${key}", key, "${scope}", op.Scope).Replace(o.Say)
	}
	if o.Kind == hook && o.Name == "effect" {
		return what + " " + times(n)
	}
	return fmt.Sprintf("%s %s at %s", what, times(n), o.Name)
}

func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

func allowed(n int) string {
	if n == 1 {
		return "1 was allowed."
	}
	return fmt.Sprintf("%d were allowed.", n)
}

// span is a duration as people say it: "10 s", "250 ms".
func span(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.3g h", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.3g min", d.Minutes())
	case d >= time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}

// waited is how long effects of the operation were waited for, at the longest: " within 10 s".
func waited(op *history.Operation) string {
	longest := time.Duration(0)
	for _, m := range op.Marks {
		if d, err := time.ParseDuration(m.Attrs["waited"]); m.Name == history.MarkSettled && err == nil {
			longest = max(longest, d)
		}
	}
	if longest == 0 {
		return ""
	}
	return " within " + span(longest)
}
