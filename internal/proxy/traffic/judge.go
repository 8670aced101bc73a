package traffic

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// fewest repeats that are needed before answers alone make a route likely.
const (
	fewestIDs      = 2
	fewestRefusals = 3
)

// judgement collects what is said of one route.
type judgement struct {
	l *Learner
	r *route
	s *lesson
	Route
	untold int64 // pairs of which nobody knows what they mean
}

// judge sums up one route.
func (l *Learner) judge(r *route) Route {
	j := judgement{l: l, r: r, s: r.lesson, Route: r.numbers()}
	j.Verdict = NotTried
	if j.s == nil {
		return j.Route
	}
	j.Repeats = map[string]int64{}
	for fault, n := range j.s.repeats {
		j.Repeats[fault] = n
	}
	groups := j.groups()
	for _, g := range groups {
		if g.sort != idle && !g.otherKey {
			j.Tried += g.n
		}
	}
	for _, g := range groups {
		j.add(g)
	}
	j.unanswered(groups)
	j.differs(groups)
	j.counts()
	j.looks()
	j.sums()
	for where := range j.s.calm {
		j.Masks = append(j.Masks, where)
	}
	slices.Sort(j.Masks)
	j.conclude()
	return j.Route
}

// groups are those of the lesson, the largest first.
func (j *judgement) groups() []*group {
	var all []*group
	for _, g := range j.s.groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int {
		if a.n != b.n {
			return int(b.n - a.n)
		}
		return strings.Compare(fmt.Sprint(a.sort, a.statuses, a.where, a.others), fmt.Sprint(b.sort, b.statuses, b.where, b.others))
	})
	return all
}

// add counts a group, and says what it means.
func (j *judgement) add(g *group) {
	if g.otherKey {
		j.keyless(g)
		return
	}
	if g.marked {
		j.Marked += g.n
	}
	if g.swapped && g.sort != conflict && g.sort != limited && g.sort != overload {
		j.Refused += g.n
		j.untold += g.n
		first := fmt.Sprintf("answered %d", g.statuses[0])
		if g.statuses[0] == 0 {
			first = "not answered"
		}
		j.find("swapped", Unknown, g, "accepted while the request that they overlapped was %s: who came first is not known.", first)
		return
	}
	switch g.sort {
	case alike:
		j.Same += g.n
	case otherID:
		j.otherID(g)
	case otherState, silent, mute: // see differs
	case conflict, condition, vanished:
		j.Conflict += g.n
		if g.sort == vanished {
			j.find("gone", Unknown, g, "answered %s: what was to be deleted was gone. A caller that lost the first answer cannot tell that from a wrong address.", g.code())
		}
	case limited, overload:
		j.Limited += g.n
	case barred:
		j.Refused += g.n
		j.untold += g.n
		j.find("barred", Unknown, g, "answered %s: perhaps what the request proves who it is with holds only once.", g.code())
	case refused:
		j.refused(g)
	case broken:
		j.broken(g)
	case unanswered: // see unanswered
		j.Failed += g.n
		j.untold += g.n
	}
}

// keyless are copies without the key of the first: they may rightly be done again.
func (j *judgement) keyless(g *group) {
	switch g.sort {
	case refused:
		j.find("key-asked-for", Held, g, "refused without the key (%s): the service asks for one.", g.code())
	case otherID:
		j.find("key-needed", Unknown, g, "done again without the key, under another id. Only the key protects: every caller must send one.")
		j.untold += g.n
	case alike:
		j.find("key-not-needed", Unknown, g, "answered alike without the key: something else tells that it is a repeat.")
	}
}

// find appends a finding. What follows the numbers is words.
func (j *judgement) find(kind string, v Verdict, g *group, words string, args ...any) {
	of := max(j.Tried, g.n)
	j.Findings = append(j.Findings, Finding{Kind: kind, Verdict: v, N: g.n, Of: of, Example: g.example, Cure: cures[kind],
		Words: fmt.Sprintf("%s of %s ", number3(g.n), plural(of, "repeat")) + wasWere(g.n) + " " + fmt.Sprintf(words, args...) + g.beside()})
}

const allOverlapped = " All of them overlapped the first."

// beside says that a difference was only seen where requests overlapped.
func (g *group) beside() string {
	if g.overlapped == g.n && g.n > 1 {
		return allOverlapped
	}
	return ""
}

func wasWere(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func (g *group) code() string { return fmt.Sprint(g.statuses[1]) }

// otherID: both were accepted, and name another id.
func (j *judgement) otherID(g *group) {
	j.Differ += g.n
	ids := slices.DeleteFunc(slices.Clone(g.where), func(where string) bool { return j.s.volatile[where] })
	named := strings.Join(ids, ", ")
	created := g.statuses == [2]int{http.StatusCreated, http.StatusCreated}
	located := slices.Contains(ids, "header location")
	switch {
	case g.strangers > 0:
		j.find("stranger", Likely, g, "answered with an id (%s) that another request had been answered with.", named)
	case len(ids) == 0, g.marked:
		j.Differ -= g.n
		j.Same += g.n
	case j.anchored(g):
		j.Differ -= g.n
		j.Same += g.n
	case g.reencoded && g.keyed < g.n:
		j.untold += g.n
		j.find("reencoded", Unknown, g, "done again under another id (%s), being the same document written in another way: without a key its bytes tell that it is a repeat, and callers seldom write it anew.", named)
	case temporary(j.r.path), g.statuses[0] == http.StatusAccepted || g.statuses[1] == http.StatusAccepted:
		j.untold += g.n
		j.find("fresh-id", Unknown, g, "accepted under another id (%s). Here that may be right: each request may have an id of its own.", named)
	case g.n >= fewestIDs && j.r.method == http.MethodPost && j.owns(ids) && (created || located && g.statuses[0] != http.StatusOK || j.readable(ids)):
		j.find("second-id", Likely, g, "accepted again, and named something new (%s): each seems to have made another one.", named)
	default:
		j.untold += g.n
		j.find("other-id", Unknown, g, "accepted, and named another id (%s). Whether it was done twice is not known: count its effects, or make it readable under its id.", named)
	}
}

// anchored reports whether the answers of a group hold an id of the operation
// that did not change: what did is then no second one.
func (j *judgement) anchored(g *group) bool {
	for where, at := range j.s.places {
		if at.singular() && !slices.Contains(g.where, where) {
			return true
		}
	}
	return false
}

// owns reports whether one of the places is where an answer says what it is about.
func (j *judgement) owns(ids []string) bool {
	noun := strings.TrimSuffix(lastWord(j.r.path), "s")
	return slices.ContainsFunc(ids, func(where string) bool {
		name := strings.ToLower(last(where))
		in := strings.ToLower(where)
		return where == "header location" || own.MatchString(where) ||
			len(noun) > 2 && (strings.HasPrefix(name, strings.ToLower(noun)) || strings.HasPrefix(in, "/"+strings.ToLower(noun)) && own.MatchString("/"+name))
	})
}

// readable reports whether callers read what has such an id, at an address of its own.
func (j *judgement) readable(ids []string) bool {
	return slices.Contains(ids, "/id") && j.l.shown(strings.TrimSuffix(j.r.path, "/")+"/00000000")
}

// lastWord is the last segment of a path that is no {}.
func lastWord(path string) string {
	parts := strings.Split(path, "/")
	for _, p := range slices.Backward(parts) {
		if p != "{}" && p != "" {
			return p
		}
	}
	return ""
}

// refused: accepted first, and the repeat is refused.
func (j *judgement) refused(g *group) {
	j.Refused += g.n
	j.untold += g.n
	switch {
	case g.reencoded && j.broke(g, "canonical", "/"):
	case !g.reencoded && j.broke(g, "verbatim", "remapped", "current", "accepted"):
	case g.reencoded:
		j.find("reencoded", Unknown, g, "refused (%s), being the same document written in another way: a caller or a gateway that writes it anew is taken for another one.", g.code())
	case g.recognised, g.keyed < g.n:
		j.find("refused", Unknown, g, "refused (%s) after the first was accepted. A caller that lost the first answer is told that it failed.", g.code())
	case g.n >= fewestRefusals && 2*g.n >= j.Tried && g.statuses[1] != http.StatusNotFound:
		j.find("refused-after-accept", Likely, g, "refused (%s) under the same key, after the first was accepted: a caller that lost the first answer is told that it failed.", g.code())
	default:
		j.find("refused", Unknown, g, "refused (%s) after the first was accepted.", g.code())
	}
}

// broken: accepted first, and the repeat is answered by a server error. All
// requests may be; then it is no matter of repeats.
func (j *judgement) broken(g *group) {
	j.Failed += g.n
	j.untold += g.n
	usual := float64(j.r.answers[5].Load()) / float64(max(j.r.requests.Load(), 1))
	if (g.n >= fewestRefusals && 2*g.n >= j.Tried || j.l.breaking) && usual < 0.1 && (g.statuses[1] == http.StatusInternalServerError || g.statuses[1] == http.StatusNotImplemented) {
		j.find("broken", Likely, g, "answered %s after the first was accepted, and other requests are not: a caller sends it again and again.", g.code())
		return
	}
	j.find("failed", Unknown, g, "answered %s after the first was accepted.", g.code())
}
