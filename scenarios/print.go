package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// print is the plan as YAML, which Parse reads back.
func (p Plan) print() string {
	var b strings.Builder
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, scalar(text))
		}
	}
	field("name", p.Name)
	field("title", p.Title)
	field("story", p.Story)
	field("operation", p.Operation)
	b.WriteString("steps:\n")
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "  - %s\n", s.print())
	}
	if len(p.Rules) > 0 {
		fmt.Fprintf(&b, "rules: [%s]\n", strings.Join(p.Rules, ", "))
	}
	return b.String()
}

// print is one step as it stands in a list: "{send: a, fault: lose-answer}".
func (s Step) print() string {
	var parts []string
	add := func(name, text string) {
		if text != "" {
			parts = append(parts, name+": "+text)
		}
	}
	add(s.Do, s.object())
	add("fault", printFault(s.Fault))
	if s.Do == doArm {
		add("moment", scalar(s.Moment))
		add("op", s.Role)
	}
	add("call", count(s.Call))
	add("nth", count(s.Nth))
	if s.Do == doAge {
		add("by", s.Amount.String())
	}
	if len(s.Offset) > 0 {
		var all []string
		for _, o := range s.Offset {
			all = append(all, strconv.FormatFloat(o, 'g', -1, 64))
		}
		add("offset", "["+strings.Join(all, ", ")+"]")
	}
	add("unit", s.Unit)
	add("body", s.Body)
	add("entry", s.Entry)
	add("replica", count(s.Replica))
	add("value", s.Self.Value)
	add("operation", s.Self.Operation)
	add("key", s.Self.Key.print())
	add("id", s.Self.ID.print())
	return "{" + strings.Join(parts, ", ") + "}"
}

// object is what stands behind the name of the step.
func (s Step) object() string {
	switch s.Do {
	case doTogether, doShuffle:
		var all []string
		for _, x := range s.Steps {
			all = append(all, x.print())
		}
		return "[" + strings.Join(all, ", ") + "]"
	case doArm, doKill, doRestart, doPause, doResume, doDown, doReadOnly, doUp:
		return s.Arm
	case doWait:
		return s.Amount.String()
	case doFill:
		return strconv.Itoa(s.Count)
	case doJoin:
		return "all"
	}
	return scalar(s.Role)
}

func printFault(f inject.Fault) string {
	if f.Arg == "" {
		return f.Name
	}
	return "{" + f.Name + ": " + scalar(f.Arg) + "}"
}

func (a Alike) print() string {
	switch {
	case a.How == "":
		return a.Of
	case a.Of == "":
		return "{alike: " + a.How + "}"
	}
	return "{of: " + a.Of + ", alike: " + a.How + "}"
}

// String is the amount as a plan says it: "50ms", "1.1 claim".
func (a Amount) String() string {
	if a.Unit == "" {
		return a.Exact.String()
	}
	return strconv.FormatFloat(a.Times, 'g', -1, 64) + " " + a.Unit
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

var plainScalar = regexp.MustCompile(`^[A-Za-z0-9/][A-Za-z0-9 _./@#;-]*$`)

// scalar is a text as YAML, in quotes where it could be read as something else.
func scalar(text string) string {
	if text == "" || plainScalar.MatchString(text) && !strings.Contains(text, " #") && strings.TrimSpace(text) == text {
		return text
	}
	return strconv.Quote(text)
}
