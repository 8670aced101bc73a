package scenarios

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// shape is what plans have in common that do the same: their steps without
// amounts, offsets and the number of copies, under letters in the order of use.
func (p Plan) shape() string {
	var lines []string
	for _, s := range p.lettered().Steps {
		if s.Do != doSettle {
			lines = append(lines, s.outline().print())
		}
	}
	return strings.Join(lines, "\n")
}

// outline is a step without what shapes leave out.
func (s Step) outline() Step {
	s.Offset, s.Unit, s.Replica, s.Amount.Exact, s.Amount.Times = nil, "", min(s.Replica, 1), 0, 0
	s.Count = min(s.Count, 1)
	if s.Fault.Name != inject.Fail.Name {
		s.Fault.Arg = ""
	}
	if letter, _, ok := strings.Cut(s.Role, "/"); ok {
		s.Role = letter + "/changed"
	}
	var inner []Step
	for _, x := range s.Steps {
		if x = x.outline(); !slices.ContainsFunc(inner, func(o Step) bool { return o.print() == x.print() }) {
			inner = append(inner, x)
		}
	}
	s.Steps = inner
	return s
}

// lettered is the plan with its letters in the order in which they are used.
func (p Plan) lettered() Plan {
	to := map[string]string{}
	for _, r := range p.rolesInOrder() {
		if to[r] == "" {
			to[r] = string(rune('a' + len(to)))
		}
	}
	p.Steps = reletter(p.Steps, to)
	return p
}

// rolesInOrder are the letters of the steps as they stand there.
func (p Plan) rolesInOrder() (letters []string) {
	for _, s := range p.flat() {
		for _, text := range []string{s.Role, s.Body, s.Self.ID.Of, s.Self.Key.Of} {
			if r, err := parseRole(text); err == nil && text != "all" {
				letters = append(letters, r.op)
			}
		}
	}
	return letters
}

func reletter(steps []Step, to map[string]string) []Step {
	out := slices.Clone(steps)
	change := func(text *string) {
		if r, err := parseRole(*text); err == nil && *text != "all" {
			*text = to[r.op] + (*text)[1:]
		}
	}
	for i := range out {
		s := &out[i]
		for _, text := range []*string{&s.Role, &s.Body, &s.Self.ID.Of, &s.Self.Key.Of} {
			change(text)
		}
		s.Steps = reletter(s.Steps, to)
	}
	return out
}

// kinds are what the steps of a plan do, in order, whoever they do it to.
func (p Plan) kinds() (kinds []string) {
	for _, s := range p.flat() {
		if s.Do == doSettle || s.Do == doJoin {
			continue
		}
		r, _ := parseRole(s.Role)
		kind := s.Do
		for _, mark := range []struct {
			is   bool
			text string
		}{{s.Arm != "", s.site()}, {s.Fault.Name != "", s.Fault.Name}, {s.Moment != "", s.Moment}, {r.variant != "", "changed"},
			{r.scope != "", "scope"}, {r.version > 0, "version"}, {s.Body != "", "body"}, {s.Entry != "", "entry"}, {s.Replica > 1, "replica"},
			{s.Self.Value != "", "value"}, {s.Self.Operation != "", s.Self.Operation}, {s.Self.Key != Alike{}, "key " + s.Self.Key.How}, {s.Self.ID != Alike{}, "id " + s.Self.ID.How},
			{s.Do == doAge, s.Amount.Unit}} {
			if mark.is {
				kind += " " + mark.text
			}
		}
		kinds = append(kinds, strings.TrimSpace(kind))
	}
	return kinds
}

// holds says whether a plan does all that another one does, and perhaps more:
// each letter of the other has one here that is sent in the same ways.
func (p Plan) holds(other Plan) bool {
	have, want := p.doings(), other.doings()
	return covers(have[""], want[""]) && embeds(have, want, slices.Sorted(maps.Keys(want)))
}

// embeds finds for each of the letters another one that covers it.
func embeds(have, want map[string][]string, letters []string) bool {
	if len(letters) == 0 {
		return true
	}
	if letters[0] == "" {
		return embeds(have, want, letters[1:])
	}
	for _, l := range slices.Sorted(maps.Keys(have)) {
		if l == "" || !covers(have[l], want[letters[0]]) {
			continue
		}
		rest := maps.Clone(have)
		delete(rest, l)
		if embeds(rest, want, letters[1:]) {
			return true
		}
	}
	return false
}

// covers says whether each thing that is done is done, with perhaps more to it:
// what is sent in an odd way is sent.
func covers(have, want []string) bool {
	have = slices.Clone(have)
	for _, w := range want {
		i := slices.IndexFunc(have, func(h string) bool {
			words := strings.Fields(h)
			return !slices.ContainsFunc(strings.Fields(w), func(word string) bool { return !slices.Contains(words, word) })
		})
		if i < 0 {
			return false
		}
		have = slices.Delete(have, i, i+1)
	}
	return true
}

// doings are the kinds of what is done to each letter; "" are those to none. How
// an attempt is waited for makes no difference here.
func (p Plan) doings() map[string][]string {
	all := map[string][]string{}
	for _, s := range p.Steps {
		for i, x := range append([]Step{s}, s.Steps...) {
			r, _ := parseRole(x.Role)
			for _, kind := range (Plan{Steps: []Step{{Do: x.Do, Role: x.Role, Body: x.Body, Fault: x.Fault, Arm: x.Arm, Moment: x.Moment, Entry: x.Entry, Replica: x.Replica, Self: x.Self, Amount: x.Amount}}}).kinds() {
				if x.delivers() {
					kind = "send " + kind
				}
				if i > 0 {
					kind += " " + s.Do
				}
				if len(x.Steps) == 0 {
					all[r.op] = append(all[r.op], kind)
				}
			}
		}
	}
	for letter := range all {
		slices.SortFunc(all[letter], func(a, b string) int { return len(a) - len(b) }) // the plainest is used up first
	}
	return all
}

// length is how many steps a plan has, settling left out.
func (p Plan) length() (n int) {
	for _, s := range p.Steps {
		if s.Do != doSettle {
			n++
		}
	}
	return n
}

// mark tells a find from others: the rule, and a short sum of the shape.
func mark(rule, shape string) string {
	h := fnv.New32a()
	fmt.Fprint(h, shape)
	return fmt.Sprintf("%s-%04x", rule, h.Sum32()&0xffff)
}
