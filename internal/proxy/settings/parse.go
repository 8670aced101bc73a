package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Faults are those that a rule of the proxy can ask for, with the arguments that
// they take there.
var Faults = []inject.Listed{
	{Fault: inject.Repeat, Arg: BeforeAnswer, Doc: "A copy is sent when the answer has come; with before-answer, when the request is wholly sent."},
	{Fault: inject.Overlap, Doc: "A copy is in flight together with the request: the last bytes of both are sent at once."},
	{Fault: inject.Late, Arg: "a duration, 30s by default", Doc: "A copy is sent so long after the answer."},
	{Fault: inject.LoseAnswer, Doc: "The answer is read to its end, then the caller sees a reset."},
	{Fault: inject.Delay, Arg: "a duration, 200ms by default", Doc: "The request is sent later."},
	{Fault: inject.ReplaceAnswer, Arg: "a status from 400 to 599, 502 by default", Doc: "The answer is read to its end, then the caller sees another one."},
	{Fault: inject.Reencode, Arg: "numbers: also write integers in other forms (10 as 1e1)", Doc: "A copy whose JSON is written in other bytes."},
	{Fault: inject.DropKey, Doc: "A copy without the key."},
}

// BeforeAnswer is the argument of repeat that sends the copy before the answer.
const BeforeAnswer = "before-answer"

// DefaultDelay is how long the fault delay waits.
const DefaultDelay = 200 * time.Millisecond

// ParseFault reads "repeat", "repeat: before-answer", "late: 30s" ...
func ParseFault(s string) (inject.Fault, error) {
	name, arg, _ := strings.Cut(s, ":")
	f := inject.Fault{Name: strings.TrimSpace(name), Arg: strings.TrimSpace(arg)}
	return f, CheckFault(f)
}

// CheckFault tells whether a rule can ask for the fault. Its error names the legal ones.
func CheckFault(f inject.Fault) error {
	var names []string
	for _, l := range Faults {
		if l.Fault.Name != f.Name {
			names = append(names, l.Fault.Name)
			continue
		}
		if f.Name == inject.Repeat.Name && f.Arg == BeforeAnswer {
			return nil
		}
		return f.Check()
	}
	return fmt.Errorf("unknown fault %q; the proxy has: %s", f.Name, strings.Join(names, ", "))
}

// Wait is the duration in the argument of a fault, or its default here.
func Wait(f inject.Fault) time.Duration {
	if d, err := time.ParseDuration(f.Arg); err == nil {
		return d
	}
	if f.Name == inject.Late.Name {
		return DefaultLate
	}
	return DefaultDelay
}

// ParsePercent reads "5%" or "0.5 %".
func ParsePercent(s string) (Share, error) {
	n, ok := strings.CutSuffix(strings.TrimSpace(s), "%")
	p, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
	if !ok || err != nil || math.IsNaN(p) || p <= 0 || p > 100 {
		return Share{}, fmt.Errorf("must be a share above 0%% and up to 100%%, as in 5%%; got %q", s)
	}
	return Share{Percent: p}, nil
}

// ParseSize reads "64MiB", "1GiB", "500KiB" or a number of bytes.
func ParseSize(s string) (int64, error) {
	units := []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}
	for _, u := range units {
		text, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("must be a size, as in 64MiB or 1GiB; got %q", s)
}

// CheckPattern tells whether s is a path pattern: it begins with a slash; * is
// any text without a slash, ** at the end all that follows.
func CheckPattern(s string) error {
	inside := strings.TrimSuffix(s, "/**")
	switch {
	case !strings.HasPrefix(s, "/"):
		return fmt.Errorf("must be a path that begins with /, as in /charges/* or /v1/**; got %q", s)
	case strings.ContainsAny(s, "?# \t\r\n"):
		return fmt.Errorf("must be a path without ? and #: queries are not compared; got %q", s)
	case strings.Contains(inside, "**"):
		return fmt.Errorf("** can only be the end of a path, as in /v1/**; got %q", s)
	}
	return nil
}

// ParseMatch reads "POST /charges", "/charges" or "POST".
func ParseMatch(s string) (r Rule, err error) {
	for _, word := range strings.Fields(s) {
		switch {
		case strings.HasPrefix(word, "/") && r.Path == "":
			r.Path, err = word, CheckPattern(word)
		case r.Path == "" && len(r.Methods) == 0 && isMethod(word):
			r.Methods = strings.Split(word, "|")
		default:
			err = fmt.Errorf("must be a method and a path, as in POST /charges; got %q", s)
		}
		if err != nil {
			return Rule{}, err
		}
	}
	if r.Path == "" && len(r.Methods) == 0 {
		err = fmt.Errorf("must be a method and a path, as in POST /charges; got %q", s)
	}
	return r, err
}

func isMethod(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-|") == ""
}
