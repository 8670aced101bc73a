package traffic

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

const (
	mostGroups = 32  // of pairs that differ in the same way
	mostPlaces = 100 // of one route that are followed
	mostValues = 24  // of one place that are remembered
)

// lesson is what the repeats on one route have shown.
type lesson struct {
	repeats  map[string]int64 // by fault
	accepted int64            // pairs of which one was accepted, under the same key
	groups   map[string]*group
	places   map[string]*place
	volatile map[string]bool // places that differed where nothing was made anew
	calm     map[string]bool
	owners   map[uint64]uint64 // of ids in first answers: who they were told to
	counts   map[string]*count // by observer
	seen     []sight           // what looks showed
	recent   []*Example        // of the newest repeats whose effects may be counted
	usual    int64             // pairs of the same bytes
	wide     bool              // more ways to differ than are kept apart
}

func newLesson() *lesson {
	return &lesson{repeats: map[string]int64{}, groups: map[string]*group{}, places: map[string]*place{}, volatile: map[string]bool{},
		calm: map[string]bool{}, owners: map[uint64]uint64{}, counts: map[string]*count{}}
}

// group is pairs that differ in the same way.
type group struct {
	sort       sort
	statuses   [2]int
	where      []string // the ids that differ
	others     []string
	n          int64
	keyed      int64
	otherKey   bool
	reencoded  bool
	recognised bool
	marked     bool
	swapped    bool
	how        [2]string // the answers in short
	overlapped int64
	hung       int64  // not answered within Patience
	cutShort   int64  // not answered before the proxy ended
	err        string // of the answer that is not as it should be
	strangers  int64  // second answers that belong to another request
	example    *Example
}

// place is one field of the first answers.
type place struct {
	pairs, kept int64 // pairs that show it in the first answer, and in both
	values      map[uint64]bool
	full        bool
}

// learn adds a pair. It returns its group.
func (s *lesson) learn(r *Repeat, p *pair, who uint64) *group {
	s.repeats[r.Fault]++
	if !r.OtherKey && !(r.Reencoded && r.Key == "") && (p.class[0] == contract.OK || p.class[1] == contract.OK) {
		s.accepted++
	}
	for _, where := range p.calm {
		if len(s.calm) < mostPlaces {
			s.calm[where] = true
		}
	}
	if !r.OtherKey {
		s.learnPlaces(p)
	}
	g := s.group(r, p)
	g.n++
	if r.Key != "" {
		g.keyed++
	}
	if r.Overlapped {
		g.overlapped++
	}
	if p.sort == otherID && !r.OtherKey && s.stranger(p, who) {
		g.strangers++
	}
	if p.sort == unanswered {
		g.wait(r.Second)
	}
	s.own(p, who)
	return g
}

func (s *lesson) learnPlaces(p *pair) {
	if p.sort != alike && p.sort != otherID && p.sort != otherState {
		return
	}
	kept := map[scalar]bool{}
	for _, k := range p.kept {
		kept[k] = true
	}
	for _, f := range p.first {
		at := s.places[f.where]
		if at == nil {
			if len(s.places) >= mostPlaces {
				continue
			}
			at = &place{values: map[uint64]bool{}}
			s.places[f.where] = at
		}
		at.pairs++
		if kept[f] {
			at.kept++
		}
		if v := hashOf(f.value); len(at.values) < mostValues {
			at.values[v] = true
		} else if !at.values[v] {
			at.full = true
		}
	}
	if p.marked {
		for _, d := range p.ids {
			s.volatile[d.Where] = true
		}
	}
}

// singular reports whether a place names one operation: all repeats kept it, and
// other operations show another value.
func (at *place) singular() bool {
	return at.pairs >= 2 && at.kept == at.pairs && (at.full || int64(len(at.values))*10 >= 9*min(at.pairs, mostValues)) && len(at.values) >= 2
}

func (s *lesson) newGroup(r *Repeat, p *pair) group {
	return group{sort: p.sort, statuses: [2]int{status(r.First), status(r.Second)}, otherKey: r.OtherKey, reencoded: r.Reencoded,
		recognised: p.recognised, marked: p.marked, swapped: p.swapped, where: wheres(p.ids), others: wheres(p.others)}
}

// name is the same for groups of the same pairs.
func (g group) name() string {
	return strings.Join([]string{string(g.sort), strconv.Itoa(g.statuses[0]), strconv.Itoa(g.statuses[1]), strconv.FormatBool(g.otherKey),
		strconv.FormatBool(g.reencoded), strconv.FormatBool(g.recognised), strconv.FormatBool(g.marked), strconv.FormatBool(g.swapped),
		strings.Join(g.where, " "), strings.Join(g.others, " ")}, "|")
}

func (s *lesson) group(r *Repeat, p *pair) *group {
	g := s.newGroup(r, p)
	id := g.name()
	if s.groups[id] == nil && len(s.groups) >= mostGroups {
		s.wide = true
		id = string(mute)
		g = group{sort: mute, otherKey: r.OtherKey}
	}
	if s.groups[id] == nil {
		g.how = [2]string{inShort(r.First, p.a), inShort(r.Second, p.b)}
		s.groups[id] = &g
	}
	return s.groups[id]
}

func wheres(ds []Difference) (all []string) {
	for _, d := range ds {
		if len(all) < 8 && !slices.Contains(all, d.Where) {
			all = append(all, d.Where)
		}
	}
	return all
}

// own remembers whom the ids of a first answer were told to.
func (s *lesson) own(p *pair, who uint64) {
	for _, f := range p.first {
		if own.MatchString(f.where) && strong(f.value) && len(s.owners) < 1000 {
			if _, told := s.owners[hashOf(f.value)]; !told {
				s.owners[hashOf(f.value)] = who
			}
		}
	}
}

// stranger reports whether a second answer shows the id that another request was
// answered with.
func (s *lesson) stranger(p *pair, who uint64) bool {
	for _, d := range p.ids {
		if owner, told := s.owners[hashOf(d.Second)]; told && owner != who && own.MatchString(d.Where) && strong(d.Second) {
			return true
		}
	}
	return false
}

// merge adds what was learned at another place that turned out to be the same.
func (s *lesson) merge(o *lesson) {
	if o == nil {
		return
	}
	for fault, n := range o.repeats {
		s.repeats[fault] += n
	}
	s.accepted += o.accepted
	for id, g := range o.groups {
		switch mine := s.groups[id]; {
		case mine != nil:
			mine.n, mine.keyed, mine.strangers, mine.overlapped = mine.n+g.n, mine.keyed+g.keyed, mine.strangers+g.strangers, mine.overlapped+g.overlapped
			mine.hung, mine.cutShort = mine.hung+g.hung, mine.cutShort+g.cutShort
		case len(s.groups) < mostGroups:
			s.groups[id] = g
		}
	}
	for where, at := range o.places {
		if mine := s.places[where]; mine != nil {
			mine.pairs, mine.kept = mine.pairs+at.pairs, mine.kept+at.kept
			maps.Copy(mine.values, at.values)
			mine.full = mine.full || at.full || len(mine.values) > mostValues
		} else if len(s.places) < mostPlaces {
			s.places[where] = at
		}
	}
	maps.Copy(s.volatile, o.volatile)
	maps.Copy(s.calm, o.calm)
	for name, c := range o.counts {
		if mine := s.counts[name]; mine != nil {
			mine.merge(c)
		} else {
			s.counts[name] = c
		}
	}
	s.seen = append(s.seen, o.seen...)
	s.wide = s.wide || o.wide
}
