package checkers

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// facts are what a service was seen to do, by axis: the answers in the order
// in which they first came.
type facts struct {
	mismatch, inFlight, replay, reencoded, keyless []string
	markers                                        []string
	told                                           bool // a 409 in flight had Retry-After
}

// observed is the table of what this service does where nothing that is judged
// was said, ending with the preset that it looks like.
func observed(x *index, c *contract.Contract, cal map[string]Calibration) (lines []string) {
	f := facts{}
	if !slices.ContainsFunc(x.ops, func(op history.Operation) bool { return op.Attempts[0].Begin.Attrs[history.AttrKeyless] != "none" }) {
		keyless := withoutKeys(*c)
		c = &keyless
	}
	for i := range x.ops {
		f.learn(c, &x.ops[i], cal[x.ops[i].Name].Telling)
	}
	add := func(judged bool, what string, answers []string) {
		if !judged && len(answers) > 0 {
			lines = append(lines, what+" "+strings.Join(answers, " or "))
		}
	}
	add(c.Replay.Judged(), "repeat", f.replay)
	add(c.Mismatch.Judged(), "changed payload", f.mismatch)
	add(c.Fingerprint.Judged(), "re-encoded payload", f.reencoded)
	add(c.InFlight.Judged(), "in flight", f.inFlightWords())
	add(c.Missing.Judged(), "missing key", f.keyless)
	slices.Sort(f.markers)
	add(c.Marker.Judged(), "replay marked", f.markers)
	if like := f.lookAlike(c.Name); like != "" && len(lines) > 0 {
		lines = append(lines, "looks like "+like)
	}
	return lines
}

// inFlightWords says of 409 whether it tells when to come back.
func (f *facts) inFlightWords() []string {
	words := slices.Clone(f.inFlight)
	if i := slices.Index(words, "409"); i >= 0 && !f.told {
		words[i] = "409, no Retry-After"
	}
	return words
}

func once(list *[]string, what string) {
	if !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
}

func (f *facts) learn(c *contract.Contract, op *history.Operation, tell []string) {
	for i := range op.Attempts {
		a := &op.Attempts[i]
		if badKey(a) == "missing" && a.End != nil && numeric(a.End.Status) {
			once(&f.keyless, a.End.Status)
		}
	}
	f.overlapping(op)
	repeats(c, op, func(r *repeat) {
		if r.again.End == nil || !numeric(r.again.End.Status) || r.expired || r.again.Begin.Attrs[history.AttrFault] == "replace-answer" {
			return
		}
		switch s := r.again.End.Status; {
		case !r.after || r.overlapped:
		case r.like == identical:
			once(&f.replay, replayed(r, tell))
			f.marked(r)
		case r.like == reencoded:
			once(&f.reencoded, s)
		case variant(*r.again) != "":
			once(&f.mismatch, s)
		}
	})
}

func numeric(status string) bool { return len(status) == 3 && status[0] >= '1' && status[0] <= '9' }

// overlapping files the answers to copies that overlapped with the accepted one.
func (f *facts) overlapping(op *history.Operation) {
	ok := accepted(op)
	if ok == nil {
		return
	}
	for i := range op.Attempts {
		a := &op.Attempts[i]
		if a == ok || a.End == nil || a.End.Seq < ok.Begin.Seq || a.Begin.Seq > ok.End.Seq ||
			!numeric(a.End.Status) || variant(*a) != "" || keyOf(op, *a) != keyOf(op, *ok) {
			continue
		}
		if a.Outcome() == history.OK {
			once(&f.inFlight, "wait")
			continue
		}
		once(&f.inFlight, a.End.Status)
		if _, told := a.End.Attrs[history.AttrHeader+"retry-after"]; told && a.End.Status == "409" {
			f.told = true
		}
	}
}

// replayed names how a repeat was answered: the first word of contract.replay
// that fits, else the status.
func replayed(r *repeat, tell []string) string {
	if r.again.Outcome() == history.OK {
		for _, how := range []string{"verbatim", "remapped", "current"} {
			if keeps(r, how, tell) && (how != "current" || len(tell) > 0) {
				return how
			}
		}
	}
	return r.again.End.Status
}

// marked looks for a header that the repeat has and the first answer has not.
func (f *facts) marked(r *repeat) {
	for h := range r.again.End.Attrs {
		name, ok := strings.CutPrefix(h, history.AttrHeader)
		if _, had := r.first.End.Attrs[h]; !ok || had || !strings.Contains(name, "idempot") && !strings.Contains(name, "replay") {
			continue
		}
		once(&f.markers, textproto.CanonicalMIMEHeaderKey(name))
	}
}
