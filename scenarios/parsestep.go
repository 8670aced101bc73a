package scenarios

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// kind is one kind of step: its name, the fields that it may have beside that, and how they are read.
type kind struct {
	do     string
	fields []string
	read   func(v strict.Value, s *Step)
}

// self are the fields of deliveries that say what is sent, and where.
var self = []string{"value", "operation", "key", "id", "entry", "replica"}

var kinds = []kind{
	{doSend, append([]string{"fault", "body"}, self...), parseDelivery},
	{doStart, append([]string{"fault", "body"}, self...), parseDelivery},
	{doRetry, append([]string{"fault"}, self...), parseDelivery},
	{doTogether, []string{"offset", "unit"}, parseTogether},
	{doShuffle, nil, parseShuffle},
	{doJoin, nil, func(v strict.Value, s *Step) {
		if s.Role = v.Field(doJoin).Text(); s.Role != "all" {
			v.Field(doJoin).Errorf("join waits for all that were started: write  {join: all}")
		}
	}},
	{doReconcile, nil, func(v strict.Value, s *Step) { s.Role = parsePlainRole(v.Field(doReconcile)) }},
	{doSettle, nil, func(v strict.Value, s *Step) {
		if s.Role = v.Field(doSettle).Text(); s.Role != "all" {
			s.Role = parseRoleIn(v.Field(doSettle))
		}
	}},
	{doArm, []string{"fault", "op", "call", "moment", "nth"}, parseArm},
	{doKill, nil, parseWhom(inject.SiteWorker)},
	{doRestart, nil, parseWhom(inject.SiteWorker)},
	{doPause, nil, parseWhom(inject.SiteWorker)},
	{doResume, nil, parseWhom(inject.SiteWorker)},
	{doDown, nil, parseWhom(inject.SiteLink)},
	{doReadOnly, nil, parseWhom(inject.SiteLink)},
	{doUp, nil, parseWhom(inject.SiteLink)},
	{doWait, nil, func(v strict.Value, s *Step) { s.Amount = parseAmountIn(v.Field(doWait)) }},
	{doAge, []string{"by"}, func(v strict.Value, s *Step) {
		s.Role, s.Amount = parsePlainRole(v.Field(doAge)), parseAmountIn(v.Need("by"))
	}},
	{doFill, nil, func(v strict.Value, s *Step) {
		if s.Count = v.Field(doFill).Int(); s.Count < 1 || s.Count > mostFill {
			v.Field(doFill).Errorf("fill needs a number of operations from 1 to %d", mostFill)
		}
	}},
}

// mostFill keeps one step within a run's limit of attempts.
const mostFill = 2000

func parseStep(v strict.Value) Step {
	i := slices.IndexFunc(kinds, func(k kind) bool { return v.Field(k.do).Exists() })
	if i < 0 {
		var doing, all []string
		for _, k := range kinds {
			doing, all = append(doing, k.do), append(all, k.fields...)
		}
		slices.Sort(all)
		all = slices.Concat(doing, slices.Compact(all))
		if legal := v.Fields(all...); v.Kind() == strict.Map && len(legal) == len(v.Fields()) {
			v.Errorf("a step needs one of %s", strings.Join(doing, ", ")) // else what it has instead was said
		}
		return Step{}
	}
	s := Step{Do: kinds[i].do}
	v.Fields(append([]string{s.Do}, kinds[i].fields...)...)
	kinds[i].read(v, &s)
	return s
}

// parseDelivery reads what send, start, retry and the sends within others say.
func parseDelivery(v strict.Value, s *Step) {
	s.Role = parseRoleIn(v.Need(s.Do))
	s.Fault = parseFault(v.Field("fault"), inject.SiteRequest)
	if v.Field("body").Exists() {
		s.Body = parseRoleIn(v.Field("body"))
	}
	if x := v.Field("value"); x.Exists() {
		s.Self.Value = oneOf(x, "zero", "one", "largest", "empty-text", "empty-list", "long-text")
	}
	if x := v.Field("operation"); x.Exists() {
		s.Self.Operation = oneOf(x, otherOperation, otherMethod)
	}
	s.Self.Key = parseAlike(v.Field("key"))
	s.Self.ID = parseAlike(v.Field("id"))
	if x := v.Field("entry"); x.Exists() {
		s.Entry = x.Text()
	}
	if x := v.Field("replica"); x.Exists() {
		if s.Replica = x.Int(); s.Replica < 1 || s.Replica > 9 {
			x.Errorf("replica is the number of an address of the target, from 1 to 9")
		}
	}
}

// Words of a delivery's operation.
const (
	otherOperation = "other"
	otherMethod    = "other-method"
)

// parseAlike reads a, {alike: case} or {of: a, alike: case}.
func parseAlike(v strict.Value) (a Alike) {
	if v.Kind() != strict.Map {
		if v.Exists() {
			a.Of = parsePlainRole(v)
		}
		return a
	}
	v.Fields("of", "alike")
	if v.Field("of").Exists() {
		a.Of = parsePlainRole(v.Field("of"))
	}
	a.How = oneOf(v.Need("alike"), likenessNames()...)
	return a
}

func parseTogether(v strict.Value, s *Step) {
	s.Steps = parseSends(v.Field(doTogether))
	for _, c := range s.Steps {
		if c.Fault.Name != "" && !ofPayload(c.Fault) {
			v.Field(doTogether).Errorf("%s can not be carried by copies that are sent together: only faults that change the request can", c.Fault.Name)
		}
	}
	for _, x := range v.Field("offset").List() {
		s.Offset = append(s.Offset, x.Float())
	}
	if x := v.Field("unit"); x.Exists() {
		s.Unit = oneOf(x, unitHandler, unitClaim)
	}
	if len(s.Steps) < 2 {
		v.Field(doTogether).Errorf("together needs two sends or more")
	}
}

func parseShuffle(v strict.Value, s *Step) {
	s.Steps = parseSends(v.Field(doShuffle))
	if n := len(s.Steps); n < 2 || n > mostShuffled {
		v.Field(doShuffle).Errorf("shuffle needs two to %d sends: each order of them is a round", mostShuffled)
	}
}

// parseSends reads the deliveries within together and shuffle.
func parseSends(v strict.Value) (all []Step) {
	for _, x := range v.List() {
		x.Fields(append([]string{doSend, "fault"}, self...)...)
		s := Step{Do: doSend}
		parseDelivery(x, &s)
		all = append(all, s)
	}
	return all
}

// ofPayload says whether a fault is carried out in making the request.
func ofPayload(f inject.Fault) bool {
	return slices.Contains([]string{"change-payload", "reencode", "change-key", "drop-key", "malform-key"}, f.Name)
}

func parseAmountIn(v strict.Value) Amount {
	text := v.Text()
	a, err := parseAmount(text)
	if err != nil && text != "" {
		v.Errorf("%v", err)
	}
	return a
}

func parseRoleIn(v strict.Value) string {
	text := v.Text()
	if _, err := parseRole(text); err != nil && text != "" {
		v.Errorf("%v", err)
	}
	return text
}

// parsePlainRole reads a role that stands for an operation, not for a variant of it.
func parsePlainRole(v strict.Value) string {
	text := parseRoleIn(v)
	if r, err := parseRole(text); err == nil && r.variant != "" {
		v.Errorf("%s is a variant: name the operation, %s", text, r.who())
	}
	return text
}
