package traffic

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// broke reports whether a group of repeats is answered in a way that the service
// promises not to: its contract says so, by one of the words ("/" is any pointer),
// and allows nothing else that would fit. It takes more than one or two, since a key may have expired.
func (j *judgement) broke(g *group, words ...string) bool {
	promise := j.contract()
	f, how := promise.Replay, "replay: "
	if slices.Contains(words, "canonical") {
		f, how = promise.Fingerprint, "fingerprint: "
	}
	if !f.Judged() || g.n-g.overlapped < fewestRefusals || g.keyed < g.n || g.swapped || 2*g.n < j.Tried && !g.reencoded {
		return false
	}
	for _, v := range f.Values {
		if !slices.Contains(words, v) && !(slices.Contains(words, "/") && strings.HasPrefix(v, "/")) {
			return false
		}
	}
	j.find("promised", Likely, g, "answered in another way (%s, then %s). The contract says: %s%s.", g.how[0], g.how[1], how, strings.Join(f.Values, " or "))
	return true
}

// contract is that of the route: the operation's, else that of all.
func (j *judgement) contract() contract.Contract {
	if !j.r.operation.Contract.IsZero() {
		return j.r.operation.Contract
	}
	return j.l.options.Contract
}
