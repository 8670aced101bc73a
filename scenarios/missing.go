package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// missing names the line that would enable a plan for an operation.
func (sys System) missing(p Plan, o Operation) string {
	for _, s := range p.flat() {
		for _, why := range []string{sys.missingScope(s), sys.missingTarget(s, o), sys.missingProvider(s), sys.missingWorker(s), sys.missingLink(s)} {
			if why != "" {
				return why
			}
		}
	}
	for _, a := range p.amounts() {
		if why := sys.missingTime(a); why != "" {
			return why
		}
	}
	for _, s := range p.Steps {
		if s.Do == doAge {
			if why := sys.missingAge(s.Amount); why != "" {
				return why
			}
		}
	}
	return ""
}

// Enable splits what a skipped case says into the reason and the YAML that would
// enable it, which is "" where no line of the configuration would.
func Enable(skipped string) (why, yaml string) {
	why, yaml, _ = strings.Cut(skipped, "   ")
	for _, lead := range []string{", and add", ", as in", ": add"} {
		why = strings.TrimSuffix(why, lead)
	}
	return why, yaml
}

func (sys System) missingScope(s Step) string {
	r, _ := parseRole(s.Role)
	switch {
	case r.scope == "" || sys.scope(r.scope) != "":
		return ""
	case len(sys.Scopes) < 2:
		return "only one scope is known: add   scopes: {alice: {headers: {Authorization: \"Bearer ${ALICE}\"}}, bob: {headers: {Authorization: \"Bearer ${BOB}\"}}}"
	}
	return fmt.Sprintf("scope %q is not known: the file has %s", r.scope, strings.Join(sys.Scopes, ", "))
}

func (sys System) missingProvider(s Step) string {
	switch {
	case s.site() != inject.SiteProvider || sys.known(s.Arm):
		return ""
	case len(sys.Providers) > 0:
		return fmt.Sprintf("%s is not known: the file has %s", s.Arm, strings.Join(slices.Sorted(maps.Keys(sys.Providers)), ", "))
	}
	return "no provider stand-in is known: add   effects: {card: {provider: {listen: 127.0.0.1:9100, effect: POST /v1/charges, id: body /metadata/order}}}"
}

func (sys System) missingTarget(s Step, o Operation) string {
	r, _ := parseRole(s.Role)
	switch {
	case r.version > max(1, o.Versions):
		n, example := s.versions()
		return fmt.Sprintf("%d versions of one entity are not known: add   operations: {%s: {versions: [%s]}}", n, o.Name, example)
	case s.Do == doReconcile && !o.Find:
		return fmt.Sprintf(`how a caller asks whether it happened is not known: add   operations: {%s: {find: "GET %s"}}`, o.Name, o.where())
	case s.Entry != "" && sys.entry(s.Entry, o) == "":
		return fmt.Sprintf("another way in is not known: add   operations: {webhook: {send: POST /webhooks, entry_of: %s}}", o.Name)
	case s.Replica > max(1, sys.Replicas):
		return fmt.Sprintf("the addresses of several replicas are not known: add   target: [%s, http://127.0.0.1:8081]", cmp.Or(sys.Address, "http://127.0.0.1:8080"))
	}
	return ""
}

// where is an example of a path at which o can be asked for.
func (o Operation) where() string {
	if strings.Contains(o.Path, "${id}") {
		return o.Path
	}
	return cmp.Or(o.Path, "/charges") + "?id=${id}"
}

// versions is an example of as many versions as the step needs, at least two.
func (s Step) versions() (n int, example string) {
	r, _ := parseRole(s.Role)
	n = max(2, r.version)
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("{state: %d}", i+1))
	}
	return n, strings.Join(all, ", ")
}

// entry is the configured operation through which o is delivered too.
func (sys System) entry(word string, o Operation) string {
	for _, x := range sys.Operations {
		if x.EntryOf == o.Name && (word == "other" || word == x.Name) {
			return x.Name
		}
	}
	return ""
}

// patience is the longest time that a plan may wait for one thing.
const patience = 10 * time.Second

// missingTime says why an amount can not be waited for.
func (sys System) missingTime(a Amount) string {
	if why := sys.missingUnit(a); why != "" {
		return why
	}
	switch d := a.of(sys.Contract.Claim, sys.Contract.Life, 0); {
	case d <= patience:
		return ""
	case a.Unit == unitClaim:
		return fmt.Sprintf("a claim of %v is too long to wait for: let the system under test have a shorter one, and add   contract: {claim: 2s}", sys.Contract.Claim)
	case a.Unit == unitLife:
		return fmt.Sprintf("a life of %v is too long to wait for: let the system under test have a shorter one, and add   contract: {life: 2s}", sys.Contract.Life)
	default:
		return fmt.Sprintf("a plan may wait for %v at most, and this one would for %v", patience, d)
	}
}

func (sys System) missingUnit(a Amount) string {
	switch {
	case a.Unit == unitClaim && sys.Contract.Claim == 0:
		return "how long an unfinished attempt blocks its key is not known: add   contract: {claim: 2s}"
	case a.Unit == unitLife && sys.Contract.Life == 0:
		return "how long a key is kept is not known: add   contract: {life: 24h}"
	}
	return ""
}

// missingAge says why a record can not be made older by an amount.
func (sys System) missingAge(a Amount) string {
	if why := sys.missingUnit(a); why != "" {
		return why
	}
	d := a.of(sys.Contract.Claim, sys.Contract.Life, 0)
	switch {
	case sys.waits(d):
		return ""
	case sys.Age == nil:
		return fmt.Sprintf("%v is too long to wait for: say how keys are made older, as in   age: {sql: \"${DATABASE_URL}\", exec: \"update keys set created_at = created_at - make_interval(secs => :seconds) where key in (:keys)\"}", d)
	case sys.AgeBy != 0 && !near(a, d, sys.AgeBy):
		return fmt.Sprintf("age: makes keys older by %v, and this needs %v: let it use :seconds", sys.AgeBy, d)
	}
	return ""
}

// near says whether ageing by a fixed amount does what the plan means: past a
// unit is past it by any amount.
func near(a Amount, d, fixed time.Duration) bool {
	return fixed == d || a.Unit != "" && a.Times > 1 && fixed >= d
}

// waits says whether ageing is done by waiting: where that is short, or nothing
// else is known and it is not too long.
func (sys System) waits(d time.Duration) bool {
	return d <= 2*time.Second || sys.Age == nil && d <= patience
}

// scope is the configured scope that a role's @ means: a number counts from 1.
func (sys System) scope(at string) string {
	switch {
	case at == "":
		if len(sys.Scopes) > 0 {
			return sys.Scopes[0]
		}
	case len(at) == 1 && at[0] >= '1' && at[0] <= '9':
		if n := int(at[0] - '1'); n < len(sys.Scopes) {
			return sys.Scopes[n]
		}
	case slices.Contains(sys.Scopes, at):
		return at
	}
	return ""
}

// known says whether an arm means a provider of the file.
func (sys System) known(arm string) bool {
	return len(sys.Providers) > 0 && (arm == "provider" || sys.Providers[strings.TrimPrefix(arm, "provider/")] != nil)
}

// called are the names of the providers that an arm means for an operation.
func (sys System) called(arm, operation string) []string {
	var names []string
	for _, o := range sys.Observers {
		name := o.Name
		if sys.Providers[name] == nil || !counts(o, operation) {
			continue
		}
		if arm == "provider" || arm == "provider/"+name {
			names = append(names, name)
		}
	}
	return names
}

// counts says whether an observer counts for an operation.
func counts(o Observer, operation string) bool {
	return len(o.Of) == 0 || slices.Contains(o.Of, operation)
}
