package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// idleTime is how long is watched what a system does when nothing is sent.
const idleTime = time.Second

// idleTries are how often is watched until nothing of an earlier run is worked off.
const idleTries = 5

// learnIdle watches for d what comes while nothing is sent. As long as a provider
// has effects meanwhile an earlier run is still worked off: its steps are those
// of the operation, and must not be left out.
func (r *runner) learnIdle(ctx context.Context, d time.Duration) error {
	for range idleTries {
		before := r.liveEffects()
		if err := r.board.learn(ctx, d); err != nil || r.liveEffects() == before {
			return err
		}
	}
	r.mark("", history.MarkError, "", "Effects came while nothing was sent: steps of the operations may have been taken for those of pollers, and be left out.")
	return nil
}

// liveEffects are how many effects providers have had.
func (r *runner) liveEffects() (n int) {
	for _, e := range r.rec.History().Events {
		if e.Kind == history.Effect && strings.HasPrefix(e.Actor, "provider/") {
			n++
		}
	}
	return n
}

// watchIdle sees, where cases are about moments, which of them are none of an operation.
func (r *runner) watchIdle(ctx context.Context, cases []Case) {
	if r.board != nil && slices.ContainsFunc(cases, func(c Case) bool { return c.Skip == "" && c.Plan.touches() }) {
		_ = r.learnIdle(ctx, idleTime) // if it is cut short all else is
	}
}

// lacksMoment says why the case can not be carried out: the operation showed
// no moment such as a step means.
func (c *caseRun) lacksMoment() string {
	for _, s := range c.Plan.Steps {
		switch {
		case s.site() != inject.SiteLink && s.site() != inject.SiteWorker:
		case s.Do == doArm:
			if _, ok := c.place(s); !ok {
				return c.noMoment(s)
			}
		case s.site() == inject.SiteLink && len(c.linksOf(s)) == 0:
			return fmt.Sprintf("calibration saw no write of %s that stays: %s", c.Operation, addLink)
		}
	}
	return ""
}

// noMoment says what the operation did not show, and what would make it.
func (c *caseRun) noMoment(s Step) string {
	ms := c.learned[c.Operation]
	switch {
	case len(ms) == 0:
		return fmt.Sprintf("calibration saw no moment of %s: %s", c.Operation, throughLink)
	case s.Moment == momentMark && slices.ContainsFunc(ms, learned.stays):
		return fmt.Sprintf("%s makes no more than one write that stays: nothing lies between a mark and the effect", c.Operation)
	case s.Moment == momentCall:
		return fmt.Sprintf("calibration saw no call of a provider by %s: add   links: {card: {protocol: http, to: 127.0.0.1:9100}}", c.Operation)
	}
	point := ""
	if s.atPoints() {
		point = fmt.Sprintf(", and no point of code %s-%s", map[wire.Phase]string{wire.Before: "before", wire.After: "after"}[side(s.Fault.Name)], s.Moment)
	}
	return fmt.Sprintf("calibration saw no %s of %s on a link%s: %s", s.Moment, c.Operation, point, addLink)
}

// Lines of idemcheck.yaml that would show moments.
const (
	addLink     = "add   links: {db: {protocol: postgres, to: 127.0.0.1:5432}}"
	throughLink = "let the worker use the link, as in   workers: {api: {env: {DATABASE_URL: \"postgres://app@${link.db}/shop\"}}}"
)
