package scenarios

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/strict"
)

func parseArm(v strict.Value, s *Step) {
	s.Arm = v.Field(doArm).Text()
	if !slices.Contains([]string{inject.SiteProvider, inject.SiteLink, inject.SiteWorker}, s.site()) || strings.HasSuffix(s.Arm, "/") {
		v.Field(doArm).Errorf("arm needs provider (each that the operation calls), link or worker, or one of them by name as in provider/NAME, got %q", s.Arm)
		return
	}
	s.Role = parseRoleIn(v.Need("op"))
	s.Fault = parseFault(v.Need("fault"), s.site())
	if s.site() == inject.SiteProvider {
		for _, name := range []string{"moment", "nth"} {
			if x := v.Field(name); x.Exists() {
				x.Errorf("a provider is armed for one of its calls: write  call: 1")
			}
		}
		s.Call = v.Field("call").Int()
		return
	}
	if x := v.Field("call"); x.Exists() {
		x.Errorf("a %s is armed for a moment: write  moment: commit, nth: 1", s.site())
	}
	parseMoment(v, s)
}

// parseMoment reads at which moment a link or worker is struck.
func parseMoment(v strict.Value, s *Step) {
	s.Moment = v.Need("moment").Text()
	x := v.Field("nth")
	if !x.Exists() {
		return
	}
	switch s.Nth = x.Int(); {
	case s.Nth < 1:
		x.Errorf("nth is the number of a moment among those of its name, from 1")
	case slices.Contains(momentWords, s.Moment):
		x.Errorf("%s is one moment of an operation: nth goes with the name of one, as in  moment: db COMMIT", s.Moment)
	}
}

// parseWhom reads steps on workers and links: worker, or worker/NAME.
func parseWhom(site string) func(strict.Value, *Step) {
	return func(v strict.Value, s *Step) {
		x := v.Field(s.Do)
		if s.Arm = x.Text(); s.Arm != site && s.site() != site || strings.HasSuffix(s.Arm, "/") {
			x.Errorf("%s needs %s (each that there is) or %s/NAME, got %q", s.Do, site, site, s.Arm)
		}
	}
}
