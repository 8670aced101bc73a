package inject

// Site is one place where a fault may strike.
type Site struct {
	Name    string // "request", "provider/card"
	Number  int    // of the operation in the plan
	Attempt int    // 1, 2, 3 ... of the caller
}

// Schedule decides what is done at a site; nil means nothing. It must be pure:
// the same site always gets the same faults, whoever asks first.
type Schedule func(Site) []Fault

// Seeded strikes a share (0 to 1) of all sites with one of the faults. It hashes
// seed and site and keeps no state, so that one seed gives one schedule even if
// many clients run at once.
func Seeded(seed uint64, share float64, faults ...Fault) Schedule {
	faults = append([]Fault(nil), faults...)
	return func(s Site) []Fault {
		h := s.hash(seed)
		// The upper 53 bits are a fraction that a float64 holds exactly.
		if len(faults) == 0 || float64(h>>11)/(1<<53) >= share {
			return nil
		}
		return []Fault{faults[mix(h)%uint64(len(faults))]}
	}
}

func (s Site) hash(seed uint64) uint64 {
	h := mix(seed)
	for i := range len(s.Name) {
		h = mix(h ^ uint64(s.Name[i]))
	}
	return mix(mix(h^uint64(s.Number)) ^ uint64(s.Attempt))
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): each bit of the
// argument changes each bit of the result half of the time.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
