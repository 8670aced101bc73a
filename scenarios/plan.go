package scenarios

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// What a Step does.
const (
	doSend      = "send"      // deliver Role once
	doStart     = "start"     // deliver Role and go on without its answer
	doJoin      = "join"      // wait for all that were started
	doTogether  = "together"  // deliver the roles of Steps so that they overlap
	doShuffle   = "shuffle"   // deliver the roles of Steps one by one, in every order: a round for each
	doRetry     = "retry"     // deliver Role until its answer is final
	doReconcile = "reconcile" // ask whether Role happened, and send it under a new key if it did not
	doSettle    = "settle"    // read the observers until the effects are there
	doArm       = "arm"       // ask a provider for Fault on the nth Call of the operation Role
	doWait      = "wait"      // let time pass
	doAge       = "age"       // make the deduplication record of Role older
	doFill      = "fill"      // send fresh operations that nothing else is done to
	doKill      = "kill"      // end workers without a warning; they start again before the next step, unless the plan has a restart
	doRestart   = "restart"   // stop workers, if they run, and start them again
	doPause     = "pause"     // make workers stand still
	doResume    = "resume"    // let them go on, and what was held with them
	doDown      = "down"      // take what is behind links away
	doReadOnly  = "read-only" // let it refuse all writes
	doUp        = "up"        // bring it back, or let it write again
)

// Plan is the steps of a run as data. A scenario is a plan of the Catalogue.
type Plan struct {
	Name, Title, Story string   // of the file; a line for lists; what happens, in sentences
	Operation          string   // only this operation, if set
	Needs              []string // what an operation must have for the plan to mean anything: "key", "per_attempt"
	Sweep              []Sweep  // a case for each combination; the steps are those of the first
	Steps              []Step
	Rules              []string // the rules that judge it; empty: all
	Source             string   // the YAML it was read from
}

// What Plan.Needs may ask for.
const (
	needKey        = "key"         // the operation carries a key
	needPerAttempt = "per_attempt" // something of it is made anew for each attempt
)

// Step is one thing that a plan does.
type Step struct {
	Do      string       // "send", "together": the word of the plan file
	Role    string       // "a", "a@2", "a#2", "a/changed"; settle and join: also "all"
	Body    string       // send: the role whose body it takes
	Fault   inject.Fault // of deliveries, and arm; a duration may be an amount: "1.5 claim"
	Arm     string       // arm: "provider" (each that the operation calls), "provider/NAME", and of all steps on them "link", "link/NAME", "worker", "worker/NAME"
	Call    int          // arm of a provider: which call, from 1
	Moment  string       // arm of a link or worker: "effect", "commit" ..., or a name as in the history, "db COMMIT"
	Nth     int          // arm of a link or worker: which moment of that name, from 1
	Steps   []Step       // together and shuffle
	Offset  []float64    // together: a round for each, in units of Unit
	Unit    string       // together: "handler" (default) or "claim"
	Amount  Amount       // wait and age
	Count   int          // fill: how many
	Entry   string       // deliveries: "other", or the operation through which it goes
	Replica int          // deliveries: which address of the target, from 1; 0: the first
	Self    Self         // deliveries: what the operation is, for all its steps
}

// delivers says whether the step sends its role.
func (s Step) delivers() bool {
	switch s.Do {
	case doSend, doStart, doRetry:
		return true
	}
	return false
}

// flat is all steps with those inside together and shuffle.
func (p Plan) flat() []Step {
	var all []Step
	for _, s := range p.Steps {
		all = append(append(all, s), s.Steps...)
	}
	return all
}

// roles are the roles that the plan needs, in order of appearance; what a role
// is made from stands before it.
func (p Plan) roles() []role {
	var rs []role
	add := func(text string) {
		r, err := parseRole(text)
		same := func(o role) bool { return o.who() == r.who() }
		if err == nil && text != "all" && !slices.ContainsFunc(rs, same) {
			rs = append(rs, r)
		}
	}
	for _, s := range p.flat() {
		for _, text := range []string{s.Self.ID.Of, s.Self.Key.Of, s.Role, s.Body} {
			add(text)
		}
	}
	return rs
}

// fills is how many operations fill steps send.
func (p Plan) fills() (n int) {
	for _, s := range p.Steps {
		n += s.Count
	}
	return n
}

// selves is what the operations of the plan are, by letter.
func (p Plan) selves() map[string]Self {
	all := map[string]Self{}
	for _, s := range p.flat() {
		if r, err := parseRole(s.Role); err == nil && s.Self != (Self{}) {
			was, _ := all[r.op].with(s.Self)
			all[r.op] = was
		}
	}
	return all
}

// alone says that no other case may run beside it: it measures overlaps, holds
// calls up, or touches what cases share: records, links, workers.
func (p Plan) alone() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Do == doTogether || s.Do == doAge || s.Do == doArm && s.Fault.Name == inject.Hold.Name
	}) || p.touches()
}

// touches says whether a step is about links or workers.
func (p Plan) touches() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.site() == inject.SiteLink || s.site() == inject.SiteWorker })
}

// providers says whether a step means a provider.
func (p Plan) providers() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.site() == inject.SiteProvider })
}

// site is what kind of thing an arm, or a step on links or workers, means; "" of other steps.
func (s Step) site() string {
	site, _, _ := strings.Cut(s.Arm, "/")
	return site
}

// whose is the name of the link, worker or provider that it means; "" for each.
func (s Step) whose() string {
	_, name, _ := strings.Cut(s.Arm, "/")
	return name
}
