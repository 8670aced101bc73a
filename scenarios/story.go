package scenarios

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// told is a plan with a title and a story, made from its steps.
func (p Plan) told(f Find) Plan {
	p.Title = fmt.Sprintf("%s of %s, found by a search", f.Rule, f.Operation)
	var parts []string
	for _, s := range p.Steps {
		if said := s.story(); said != "" {
			parts = append(parts, said)
		}
	}
	text := strings.Join(parts, "; ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:] + "."
	}
	p.Story = fmt.Sprintf("%s It failed %d of %d times.", text, f.Failed, f.Of)
	return p
}

// story is what a step does, for people.
func (s Step) story() string {
	switch s.Do {
	case doSend, doStart, doRetry:
		return s.sent()
	case doTogether:
		return "several are sent so that they overlap: " + inner(s.Steps)
	case doShuffle:
		return "in every order: " + inner(s.Steps)
	case doArm:
		return s.armedStory()
	case doReconcile:
		return "the caller asks whether " + s.Role + " happened, and sends it under a new key if it did not"
	case doWait:
		return s.Amount.String() + " pass"
	case doAge:
		return "the key of " + s.Role + " grows older by " + s.Amount.String()
	case doFill:
		return fmt.Sprintf("%d other operations are sent", s.Count)
	case doKill, doRestart, doPause, doResume:
		return "the " + strings.Replace(s.Arm, "/", " ", 1) + " is " + map[string]string{doKill: "killed", doRestart: "restarted", doPause: "made to stand still", doResume: "let go on"}[s.Do]
	case doDown, doReadOnly, doUp:
		return "what is behind the " + strings.Replace(s.Arm, "/", " ", 1) + map[string]string{doDown: " goes away", doReadOnly: " refuses all writes", doUp: " is back"}[s.Do]
	}
	return ""
}

// sent is what a delivery is.
func (s Step) sent() string {
	r, _ := parseRole(s.Role)
	var b strings.Builder
	b.WriteString(r.op)
	if r.version > 0 {
		fmt.Fprintf(&b, " in version %d", r.version)
	}
	b.WriteString(map[string]string{doSend: " is sent", doStart: " is sent and not waited for", doRetry: " is sent until it is answered"}[s.Do])
	for _, part := range []struct {
		is   bool
		text string
	}{
		{r.scope != "", " by another scope"},
		{r.variant == "changed", " with a changed payload"},
		{r.variant != "" && r.variant != "changed", " with another " + strings.TrimPrefix(r.variant, "/")},
		{s.Body != "", " with the body of " + s.Body},
		{s.Entry != "", " by another way in"},
		{s.Replica > 1, fmt.Sprintf(" to replica %d", s.Replica)},
		{s.Self.Value != "", " with a field that is " + strings.ReplaceAll(s.Self.Value, "-", " ")},
		{s.Self.Operation != "", " to another endpoint"},
		{s.Self.Key.Of != "" && s.Self.Key.How == "", " under the key of " + s.Self.Key.Of},
		{s.Self.Key.How != "", " under a key that looks like another (" + s.Self.Key.How + ")"},
		{s.Self.ID.How != "", " with an id that looks like another (" + s.Self.ID.How + ")"},
		{s.Fault.Name != "", " (" + s.Fault.String() + ")"},
	} {
		if part.is {
			b.WriteString(part.text)
		}
	}
	return b.String()
}

func inner(steps []Step) string {
	var all []string
	for _, s := range steps {
		all = append(all, strings.Replace(s.sent(), " is sent", "", 1))
	}
	return strings.Join(all, ", ")
}

func (s Step) armedStory() string {
	if s.site() == inject.SiteProvider {
		return fmt.Sprintf("the provider is made to %s for %s", s.Fault, s.Role)
	}
	return fmt.Sprintf("at the %s of %s: %s", s.Moment, s.Role, s.Fault)
}
