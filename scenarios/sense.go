package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// senseless says why a plan can mean nothing for an operation; "" if it can.
func (sys System) senseless(p Plan, o Operation) string {
	switch {
	case slices.Contains(p.Needs, needKey) && o.Keyless:
		return "it carries no key"
	case slices.Contains(p.Needs, needPerAttempt) && !o.Anew:
		return "nothing of it is made anew for each attempt (per_attempt:)"
	}
	for _, s := range p.flat() {
		for _, why := range []string{o.cannot(s), o.cannotFault(s.Fault, s), sys.cannotBe(s.Self, o)} {
			if why != "" {
				return why
			}
		}
		if s.site() == inject.SiteProvider && sys.known(s.Arm) && len(sys.called(s.Arm, o.Name)) == 0 {
			return "it calls no provider that the file knows"
		}
	}
	return ""
}

// cannot says why a step can not be done with the operation.
func (o Operation) cannot(s Step) string {
	r, _ := parseRole(s.Role)
	switch {
	case r.variant == "changed" && !o.Variable:
		return "its body has no field of its own that could be changed"
	case s.Body != "" && o.Bodyless:
		return "it has no body"
	case s.Body != "" && o.OwnBody:
		return "its body holds its id or key, so no other operation has the same"
	case s.Self.Value != "" && !slices.Contains(o.Values, s.Self.Value):
		return "no field of its body can be " + strings.ReplaceAll(s.Self.Value, "-", " ")
	}
	return ""
}

func (o Operation) cannotFault(f inject.Fault, s Step) string {
	switch {
	case s.Do == doArm:
	case f.Name == "reencode" && !o.JSON:
		return "its body is not JSON"
	case slices.Contains([]string{"change-key", "drop-key", "malform-key"}, f.Name) && o.Keyless:
		return "it carries no key"
	case f.Name == "drop-key" && o.Fixed:
		return "its key is part of a text, from which it can not be taken out"
	case f.Name == "cut-client" && f.Arg == "half-body" && o.Bodyless:
		return "it has no body that could be cut in half"
	}
	return ""
}

// cannotBe says why an operation can not stand for something else.
func (sys System) cannotBe(s Self, o Operation) string {
	key, id := s.Key != Alike{}, s.ID.How
	inText := strings.HasPrefix(o.Carrier, "body ") || strings.HasPrefix(o.Carrier, "query ")
	switch {
	case key && o.Keyless:
		return "it carries no key"
	case s.Key.How != "" && !likeInHeader(s.Key.How) && !inText:
		return "its key does not travel in the body or the query"
	case s.Key.How != "" && sys.Contract.Syntax.Has("uuid") && !sys.Contract.Syntax.Has("bare"):
		return "its keys are UUIDs (contract.syntax)"
	case id != "" && !o.OwnBody && !strings.Contains(o.Path, "${id}"):
		return "its id does not travel in the body or the path"
	case id != "" && !likeInHeader(id):
		return "ids are not sent with blanks or accents"
	case s.Operation != "" && sys.other(s.Operation, o) == nil:
		if s.Operation == otherMethod {
			return "no other operation has its path with another method"
		}
		return "no other operation under test carries a key"
	}
	return ""
}

// other is the operation that stands for another one beside o; nil if the file has none.
func (sys System) other(word string, o Operation) *Operation {
	for i := range sys.Operations {
		x := &sys.Operations[i]
		fits := x.Path != o.Path
		if word == otherMethod {
			fits = x.Path == o.Path && x.Method != o.Method
		}
		if x.Name != o.Name && x.Test && !x.Keyless && fits {
			return x
		}
	}
	return nil
}

// says is one line of what means nothing: "same-body-two-ids makes no case for charge: its body ...".
func (c Case) says() string {
	return fmt.Sprintf("%s makes no case for %s: %s", c.Plan.Name, c.Operation, c.Senseless)
}

// Apart says of each plan that makes no case at all why: "reencoded-payload:
// its body is not JSON". Plans for one operation that is not there are left out.
func Apart(sys System, plans []Plan, ops []string) (lines []string) {
	whys, made := map[string][]string{}, map[string]bool{}
	for _, c := range allCases(sys, plans, ops) {
		name := c.Plan.Name
		if made[name] = made[name] || c.Senseless == ""; !slices.Contains(whys[name], c.Senseless) {
			whys[name] = append(whys[name], c.Senseless)
		}
	}
	for _, p := range plans {
		if why := whys[p.Name]; len(why) > 0 && !made[p.Name] {
			lines = append(lines, p.Name+": "+strings.Join(why, "; "))
		}
	}
	return lines
}
