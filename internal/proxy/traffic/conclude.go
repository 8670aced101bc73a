package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const fewestHeld = 3 // operations that were counted, before a route holds

// looks says what GETs have shown.
func (j *judgement) looks() {
	n, shown := j.s.twoThings()
	of, paths := int64(len(j.s.seen)), shown.paths
	if n == 0 {
		return
	}
	f := Finding{Kind: "two-things", Verdict: Certain, N: n, Of: of, Cure: cures["two-things"],
		Words: fmt.Sprintf("%s of %s that %s looked at made two things, each read under an address of its own: %s and %s.",
			number3(n), plural(of, "request"), wasWere(of), cut(paths[0], 120), cut(paths[1], 120))}
	if f.Example = shown.example; f.Example == nil {
		f.Example = j.example(otherID)
	}
	named, overlapped := int64(0), true
	j.Findings = slices.DeleteFunc(j.Findings, func(second Finding) bool { // it says the same, and less surely
		if second.Kind != "second-id" && second.Kind != "other-id" {
			return false
		}
		named += second.N
		overlapped = overlapped && strings.HasSuffix(second.Words, allOverlapped)
		return true
	})
	if named > n {
		f.Words += fmt.Sprintf(" In all, %s of %s named something new.", number3(named), plural(j.Tried, "repeat"))
	}
	if named > 0 && overlapped {
		f.Words += allOverlapped
	}
	j.Findings = append(j.Findings, f)
}

// example is one of the pairs of a sort; of any but idle ones for "".
func (j *judgement) example(s sort) *Example {
	for _, g := range j.groups() {
		if g.example != nil && !g.otherKey && (g.sort == s || s == "") {
			return g.example
		}
	}
	return nil
}

// counts says what observers counted.
func (j *judgement) counts() {
	for _, name := range sortedKeys(j.s.counts) {
		c := j.s.counts[name]
		k := c.counted(name)
		j.Counted = append(j.Counted, k)
		switch {
		case k.Usual < 0 && k.Controls >= 3 && k.Repeated > 0:
			j.count("varies", Unknown, k, 0, fmt.Sprintf("%s does not show the same number of effects for each request that was sent once: its counts say nothing.", name))
		case k.Usual == 0 && k.Controls >= 3:
			j.count("blind", Unknown, k, 0, fmt.Sprintf("%s shows no effect of requests that were sent once.", name))
		}
		if k.Twice > 0 {
			v, words := c.twice(k), ""
			if v == Unknown {
				words = " These may be requests that have more by their nature: more traffic will tell."
			}
			j.count("twice", v, k, k.Twice, fmt.Sprintf("%s %s at %s; each of %s that %s sent once, %s. So it was with %s of %s that %s sent twice.%s",
				c.said(c.example), times(c.exampleCount), name, plural(k.Controls, "request"), wasWere(k.Controls), times(k.Usual), number3(k.Twice), plural(k.Repeated, "request"), wasWere(k.Repeated), words))
		}
		if k.Lost > 0 {
			v := Unknown
			switch {
			case k.Lost >= 3 && k.Controls >= 20 && 5*k.Lost >= k.Repeated:
				v = Certain
			case k.Lost >= 2 && k.Controls >= 10:
				v = Likely
			}
			j.count("lost", v, k, k.Lost, fmt.Sprintf("%s 0 times at %s, and it was accepted; requests that were sent once, %s. So it was with %s of %s that %s sent twice.",
				c.said(c.exampleLost), name, times(k.Usual), number3(k.Lost), plural(k.Repeated, "request"), wasWere(k.Repeated)))
		}
	}
}

func (j *judgement) count(kind string, v Verdict, k Counted, n int64, words string) {
	f := Finding{Kind: kind, Verdict: v, N: n, Of: k.Repeated, Words: words, Cure: cures[kind]}
	switch c := j.s.counts[k.Observer]; kind {
	case "twice":
		f.Example = c.pair
	case "lost":
		f.Example = c.pairLost
	}
	if f.Example == nil && n > 0 {
		f.Example = j.example(otherID)
	}
	if f.Example == nil && n > 0 {
		f.Example = j.example("")
	}
	j.Findings = append(j.Findings, f)
}

// sums says what totals without ids have shown.
func (j *judgement) sums() {
	for at, s := range j.l.totals {
		if at[1] != j.r.name {
			continue
		}
		request, copied, _, ok := s.each()
		if s.doubled() {
			j.Findings = append(j.Findings, Finding{Kind: "sum", Verdict: Likely, N: int64(s.copies), Of: int64(s.copies), Cure: cures["twice"],
				Words: fmt.Sprintf("%s grows by %.3g with each accepted request, and by %.3g with each copy of one (%d samples).", at[0], request, copied, s.n)})
		} else if !ok {
			j.Findings = append(j.Findings, Finding{Kind: "sum", Verdict: Unknown, Words: fmt.Sprintf("%s: too few samples to tell how much a copy changes it (%d).", at[0], s.n)})
		}
	}
}

// conclude makes the verdict: the worst finding, or held where effects were
// counted and nothing is left untold.
func (j *judgement) conclude() {
	j.relieve()
	slices.SortStableFunc(j.Findings, func(a, b Finding) int { return cmp.Compare(rank(a.Verdict), rank(b.Verdict)) })
	j.Verdict = NotTried
	if j.Tried > 0 {
		j.Verdict = Unknown
	}
	for _, f := range j.Findings {
		if f.Verdict == Certain || f.Verdict == Likely {
			j.Verdict = f.Verdict
			return
		}
	}
	counted := len(j.Counted) > 0 && j.untold == 0 && !j.s.wide && j.Same+j.Conflict >= fewestHeld
	for _, k := range j.Counted {
		counted = counted && k.Usual > 0 && k.Twice == 0 && k.Lost == 0
		if missing := j.missing(k); missing > 0 {
			counted = false
			j.Findings = append(j.Findings, Finding{Kind: "not-counted", Verdict: Unknown, N: missing, Of: j.s.accepted, Cure: cures["not-counted"],
				Words: fmt.Sprintf("%s of %s %s not counted at %s: their effects were not read yet, or their id was not found.", number3(missing), plural(j.s.accepted, "repeat"), wasWere(missing), k.Observer)})
		}
	}
	for _, f := range j.Findings {
		counted = counted && f.Kind != "lost" && f.Kind != "varies" && f.Kind != "blind"
	}
	switch {
	case counted:
		j.Verdict = Held
	case j.Tried > 0 && j.untold == 0 && len(j.Findings) == 0:
		f := Finding{Kind: "uncounted", Verdict: Unknown, N: j.Same + j.Conflict, Of: j.Tried, Cure: cures["uncounted"],
			Words: "Nothing in the answers speaks against it. Nobody counted effects, so whether it was done twice is not known."}
		if len(j.Counted) > 0 {
			f.Kind, f.Cure = "too-few", ""
			f.Words = fmt.Sprintf("Nothing in the answers speaks against it, and too little was counted to say more: %s that %s sent twice, %s that %s sent once.",
				plural(j.Counted[0].Repeated, "request"), wasWere(j.Counted[0].Repeated), number3(j.Counted[0].Controls), wasWere(j.Counted[0].Controls))
		}
		j.Findings = append(j.Findings, f)
	}
}

// relieve takes back what new ids alone accuse of, where repeats that named them
// were counted and had no more effects than they should: the ids may be those of
// requests. Those that were not counted may be all that named new ones.
func (j *judgement) relieve() {
	if len(j.Counted) == 0 {
		return
	}
	missing := int64(0)
	for _, k := range j.Counted {
		if k.Usual <= 0 || k.Repeated < fewestHeld || k.Twice+k.Lost > 0 {
			return
		}
		missing = max(missing, j.missing(k))
	}
	for i := range j.Findings {
		if f := &j.Findings[i]; f.Kind == "second-id" && f.N > missing {
			f.Verdict, f.Words = Unknown, f.Words+" But they were counted, and had no more effects than one that was sent once."
			j.untold += f.N
		}
	}
}

// missing is how many repeats of what was accepted an observer has not counted.
func (j *judgement) missing(k Counted) int64 {
	if k.Usual <= 0 {
		return 0
	}
	return max(0, j.s.accepted-j.s.counts[k.Observer].read(k.Usual))
}

func rank(v Verdict) int { return slices.Index([]Verdict{Certain, Likely, Unknown, Held, NotTried}, v) }

func sortedKeys[T any](m map[string]T) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// cures say what is usually done about a finding.
var cures = map[string]string{
	"twice":                "take the key, or the id of the operation, before the work begins, in the same transaction; give what is called outside a key made from it.",
	"two-things":           "make a repeat find what the first made: a unique constraint on the key or on the id of the operation, in the transaction that makes it.",
	"second-id":            "make a repeat find what the first made, and answer with its id. To be sure: count the effects (effects:), or let GET show what was made.",
	"lost":                 "mark the key as done in the same transaction as the work, not before it.",
	"stranger":             "look keys up together with the caller and the endpoint, and compare what was asked.",
	"refused-after-accept": "answer a repeat as the first was answered, or 409 with what was made.",
	"broken":               "look for the key before the work, and answer from what is stored: the error comes from doing it again.",
	"hung":                 "release the key when the work has ended, however it ended, and give a lock a time to live.",
	"silent":               "keep the answer with the key, and give it again.",
	"uncounted":            "name what counts them: effects: in idemcheck.yaml, a query or the stand-in of a provider.",
	"not-counted":          "say where the id stands: id: of the rule, or ${id} in the operation of the file.",
	"varies":               "count only what one request makes, by its id.",
	"blind":                "look at its query, and at how long effects take.",
}

// said is an effect in the words of its observer.
func (c *count) said(op string) string {
	op = cut(op, 80)
	if c.say == "" {
		return op + " took effect"
	}
	return strings.NewReplacer("${id}", op, "${key}", op, "${scope}", "").Replace(c.say)
}

func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number3(n) + " " + noun + "s"
}

// number3 writes a number in groups of three digits.
func number3(n int64) string {
	s := fmt.Sprint(n)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return strings.Join(append([]string{s}, parts...), ",")
}
