package checkers

// sample is how many operations are looked at to find out whether a telling
// field is singular.
const sample = 1000

// singular drops the pointers at which operations that have nothing to do with
// each other show the same value while another telling value differs, or which
// hold few different values in all: the name of a replica is no identity.
func (x *index) singular(name string, pointers []string) []string {
	if len(pointers) == 0 {
		return nil
	}
	distinct := make([]map[string]bool, len(pointers))
	for i := range distinct {
		distinct[i] = map[string]bool{}
	}
	n := 0
	for i := range x.ops {
		op := &x.ops[i]
		if op.Name != name || n == sample {
			continue
		}
		ok := accepted(op)
		if ok == nil {
			continue
		}
		values, found := pick(ok.End.Body, pointers)
		if found < len(pointers) {
			continue
		}
		n++
		for j, v := range values {
			distinct[j][v] = true
		}
	}
	return keepSingular(pointers, distinct, n)
}

// keepSingular keeps the pointers that are nearly as varied as the most varied
// one, and at least half as varied as there are operations.
func keepSingular(pointers []string, distinct []map[string]bool, n int) (kept []string) {
	most := 0
	for _, d := range distinct {
		most = max(most, len(d))
	}
	for j, p := range pointers {
		if d := len(distinct[j]); n < 4 || 10*d >= 9*most && 2*d >= n {
			kept = append(kept, p)
		}
	}
	return kept
}
