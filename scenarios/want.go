package scenarios

import "time"

// want is the lower bound of each count: what was acknowledged must be there.
// Observers that calibration found blind are not waited for.
func (r *runner) want(ops []*live) map[subject]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	want := map[subject]int{}
	entities := map[subject]bool{} // whose versions have been counted
	for _, o := range r.sys.Observers {
		for _, op := range ops {
			if op.effective && counts(o, op.Name) && r.sees(o, op) {
				s := wanted(o, op)
				entity := subject{s.observer, s.id, s.key, op.scope}
				if op.version > 0 && entities[entity] {
					continue // a newer version may have taken the place of the older
				}
				entities[entity] = true
				want[s] += max(1, o.Expect)
			}
		}
	}
	return want
}

// sees says whether an observer showed the effects of calibration; true before
// it. An API that was calibrated in one scope may not show another.
func (r *runner) sees(o Observer, op *live) bool {
	c, ok := r.calibration[op.Name]
	if o.By == "key" && op.okKey == "" {
		return false
	}
	return !ok || c.Effects[o.Name] == max(1, o.Expect) && (o.Kind != "http" || o.Scoped || op.scope == c.Scope)
}

// wanted is where the effect of an acknowledged operation must show.
func wanted(o Observer, op *live) subject {
	if o.By == "key" {
		return subject{observer: o.Name, key: op.okKey}
	}
	return subject{observer: o.Name, id: op.id}
}

// subjects are all under which an observer may report the operation.
func subjects(o Observer, op *live) []subject {
	if o.By != "key" {
		return []subject{{observer: o.Name, id: op.id}}
	}
	var all []subject
	for _, key := range op.sent {
		all = append(all, subject{observer: o.Name, key: key})
	}
	return all
}

// quiet is how long counts must stand still: nothing if effects came within the handler's
// time, and no longer than there is time for.
func (r *runner) quiet(ops []*live) time.Duration {
	var latest time.Duration
	for _, op := range ops {
		latest = max(latest, r.calibration[op.Name].Latency)
	}
	if latest == 0 {
		return 0
	}
	return min(max(250*time.Millisecond, 3*latest), r.sys.Limits.Settle)
}
