package inject

// sight is what the goroutines of a run were seen to do by one that waits.
type sight struct {
	others motion // of the attempts that are waited for, and what they started
	kin    motion // of all else that the run's test started

	unknown bool // an attempt that is waited for runs on a goroutine that is not known
	bubble  bool // the run is in a bubble of testing/synctest
	idle    bool // in which all others stand as it needs, so that its clock moves
}

// look finds out what those do that have not come.
func (w *watch) look() sight {
	all := goroutines()
	if len(all) == 0 {
		return sight{others: outside, kin: outside, bubble: w.run.bubble}
	}
	family := w.family(all)
	unseen := w.unseen()
	s := sight{others: unseen, unknown: unseen == outside, bubble: all[0].bubble != 0, idle: true}
	for _, g := range all[1:] {
		switch family[g.number] {
		case ofOthers:
			s.others = max(s.others, g.motion)
		case ofRun:
			s.kin = max(s.kin, g.motion)
		default:
			continue
		}
		s.idle = s.idle && g.durable
	}
	s.idle = s.idle && unseen != moving
	return s
}

// unseen is the motion of attempts whose goroutines are not known: those that
// are about to begin, and those that run behind a network.
func (w *watch) unseen() (m motion) {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	for _, a := range w.op.running {
		switch {
		case a.goroutine != 0:
		case a.ours:
			m = max(m, moving)
		default:
			m = max(m, outside)
		}
	}
	return m
}

// relation of a goroutine to one that waits.
type relation int

const (
	stranger relation = iota
	ofRun             // started by the run's test, by way of others perhaps
	ofOthers          // an attempt that is waited for, or started by one
)

// family sorts goroutines by who started them. One whose starter has ended may
// be of the run. In a bubble, all that are in it are.
func (w *watch) family(all []seen) map[int64]relation {
	byNumber := make(map[int64]*seen, len(all))
	for i := range all {
		byNumber[all[i].number] = &all[i]
	}
	known := map[int64]relation{w.run.root: ofRun}
	w.run.mu.Lock()
	for _, a := range w.op.running {
		if a.goroutine != 0 {
			known[a.goroutine] = ofOthers
		}
	}
	w.run.mu.Unlock()
	// The one that looks, and the attempt that it belongs to, wait for the others.
	for n, hops := all[0].number, 0; n != 0 && hops < len(all); hops++ {
		_, attempt := known[n]
		known[n] = ofRun
		if attempt || byNumber[n] == nil {
			break
		}
		n = byNumber[n].parent
	}
	for i := range all {
		g := &all[i]
		rel := stranger
		for n, hops := g.number, 0; hops < len(all); hops++ {
			if k, ok := known[n]; ok {
				rel = k
				break
			}
			up, ok := byNumber[n]
			if !ok { // its starter has ended
				rel = ofRun
				break
			}
			if up.parent == 0 {
				break
			}
			n = up.parent
		}
		if all[0].bubble != 0 && rel != ofOthers {
			rel = stranger
			if g.bubble == all[0].bubble {
				rel = ofRun
			}
		}
		if _, ok := known[g.number]; !ok {
			known[g.number] = rel
		}
	}
	return known
}
