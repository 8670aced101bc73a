package inject

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sites at which a fault may strike.
const (
	SiteRequest  = "request"
	SiteProvider = "provider"
	SiteLink     = "link"
	SiteWorker   = "worker"
	SiteMessage  = "message" // of a Queue
)

// Stages of cut-client.
const (
	stageHeaders = "headers-sent"
	stageHalf    = "half-body"
	stageBody    = "body-sent"
	stageAnswer  = "answer-begun"
)

// Listed is one line of the catalogue. A name that serves two sites is listed twice.
type Listed struct {
	Fault Fault
	Site  string // SiteRequest, SiteProvider, SiteLink or SiteWorker
	Arg   string // the legal arguments in words; "" if it takes none
	Doc   string // what it does, in one sentence
}

// Faults is the catalogue: every fault that a plan can ask for, in the order in
// which people meet them. Reorder stands beside it.
var Faults = []Listed{
	{LoseRequest, SiteRequest, "", "A connection is made and breaks; nothing is delivered."},
	{LoseAnswer, SiteRequest, "", "The exchange is finished, then the caller sees a reset."},
	{CutClient, SiteRequest, argStage, "The caller goes away in the middle of the exchange."},
	{Delay, SiteRequest, "a duration, 50ms by default", "The request is sent later."},
	{ReplaceAnswer, SiteRequest, "a status from 400 to 599, 502 by default", "The exchange is finished, then the caller sees another status."},
	{ChangePayload, SiteRequest, "a JSON pointer or form field; by default the first number, else the first text", "One field of the body is changed under the same key."},
	{Reencode, SiteRequest, "numbers: also write integers in other forms (10 as 1e1)", "The body says the same in other bytes: field order, white space, escapes, fractions."},
	{ChangeKey, SiteRequest, "", "The attempt carries another key."},
	{DropKey, SiteRequest, "", "The attempt carries no key."},
	{MalformKey, SiteRequest, argMalform, "The attempt carries something that is no good key."},
	{Repeat, SiteRequest, "", "The request is delivered once more, after its answer."},
	{Overlap, SiteRequest, "", "Two copies of the request are in flight at once."},
	{Late, SiteRequest, "a duration, 100ms by default", "The request is delivered once more, long after its answer."},
	{LoseAnswer, SiteProvider, "", "The provider has done the work, then its connection breaks."},
	{Fail, SiteProvider, "for how many calls, 1 by default; after: the work was done", "The provider answers 503 and has done nothing, or, with after, everything."},
	{Refuse, SiteProvider, "", "The provider answers 402, a definite no, and has done nothing."},
	{Slow, SiteProvider, "a duration, 1s by default", "The provider takes its time."},
	{Hold, SiteProvider, "", "The call is held until a second call of the same operation arrives, at most 1 s."},
	{Cut, SiteLink, "", "What the system asks at a moment is not delivered, and the connection breaks."},
	{LoseReply, SiteLink, "", "What the system asks at a moment is done, and the connection breaks before it hears."},
	{Refuse, SiteLink, "", "The link answers at a moment that it can not be done, and delivers nothing: a database reports a serialization failure."},
	{Hold, SiteLink, "", "A moment is held until a repeat of the same operation has been answered, at most 1 s, or half a stated claim."},
	{ReadOnly, SiteLink, "", "What is behind the link refuses all writes, as a database that was switched to read only."},
	{KillBefore, SiteWorker, "", "The worker is killed at a moment, before it is delivered."},
	{KillAfter, SiteWorker, "", "The worker is killed at a moment that is done, before it hears."},
	{Pause, SiteWorker, "", "The worker stands still at a moment that is done, before it hears, until it is resumed."},
	{Restart, SiteWorker, "", "The worker is stopped and started again."},
	{Resume, SiteWorker, "", "The worker that stood still goes on."},
}

const argMalform = "empty, blank, malformed (default), over-long, doubled or non-ascii"

const argStage = stageHeaders + ", " + stageHalf + ", " + stageBody + " (default) or " + stageAnswer

// String prints the one spelling: "lose-answer", or "delay: 50ms".
func (f Fault) String() string {
	if f.Arg == "" {
		return f.Name
	}
	return f.Name + ": " + f.Arg
}

// ParseFault reads what String prints. Its error names the legal values.
func ParseFault(s string) (Fault, error) {
	name, arg, _ := strings.Cut(s, ":")
	f := Fault{Name: strings.TrimSpace(name), Arg: strings.TrimSpace(arg)}
	return f, f.Check()
}

// Check tells whether the fault exists and its argument is legal.
func (f Fault) Check() error {
	i := slices.IndexFunc(Faults, func(l Listed) bool { return l.Fault.Name == f.Name })
	if i < 0 {
		return fmt.Errorf("unknown fault %q, legal are: %s", f.Name, strings.Join(names(""), ", "))
	}
	if f.Arg != "" && !f.legal(Faults[i]) {
		if Faults[i].Arg == "" {
			return fmt.Errorf("fault %s takes no argument, it has %q", f.Name, f.Arg)
		}
		return fmt.Errorf("fault %s: argument %q is not legal: it takes %s", f.Name, f.Arg, Faults[i].Arg)
	}
	return nil
}

func (f Fault) legal(l Listed) bool {
	switch f.Name {
	case Delay.Name, Slow.Name, Late.Name:
		d, err := time.ParseDuration(f.Arg)
		return err == nil && d > 0
	case CutClient.Name:
		return slices.Contains([]string{stageHeaders, stageHalf, stageBody, stageAnswer}, f.Arg)
	case ReplaceAnswer.Name:
		n, err := strconv.Atoi(f.Arg)
		return err == nil && n >= 400 && n <= 599
	case Fail.Name:
		n, _ := f.failing()
		return n > 0
	case MalformKey.Name:
		return slices.Contains([]string{"empty", "blank", "malformed", "over-long", "doubled", "non-ascii"}, f.Arg)
	case Reencode.Name:
		return f.Arg == "numbers"
	}
	return l.Arg != ""
}

// failing reads the argument of fail: for how many calls, and whether the work
// is done before. Without a number it is one call; 0 means not legal.
func (f Fault) failing() (calls int, after bool) {
	arg, after := strings.CutSuffix(f.Arg, "after")
	if arg = strings.TrimSpace(arg); arg == "" {
		return 1, after
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, after
	}
	return n, after
}

// names lists the faults of a site, or of all sites.
func names(site string) (ns []string) {
	for _, l := range Faults {
		if (site == "" || l.Site == site) && !slices.Contains(ns, l.Fault.Name) {
			ns = append(ns, l.Fault.Name)
		}
	}
	return ns
}

// duration is the argument of a fault that takes one; the fault has been checked.
func (f Fault) duration(otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(f.Arg); err == nil {
		return d
	}
	return otherwise
}
