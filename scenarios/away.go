package scenarios

import (
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// store is what the runner needs of a link.
type store interface {
	Name() string
	Down()
	Up()
}

// linkStep takes what is behind links away, or brings it back.
func (c *caseRun) linkStep(s Step) error {
	for _, l := range c.linksOf(s) {
		if s.Do == DoUp {
			c.up(l)
			continue
		}
		l.Down()
		c.away = append(c.away, l)
		c.did(history.MarkDown, "link/"+l.Name())
	}
	return nil
}

// up brings back what is behind a link, if it is away.
func (c *caseRun) up(l store) {
	away := len(c.away)
	c.away = slices.DeleteFunc(slices.Clone(c.away), func(o store) bool { return o == l })
	if len(c.away) < away {
		l.Up()
		c.did(history.MarkUp, "link/"+l.Name())
	}
}

// linksOf are the links that a step means: that of a name, or those on which the
// operation writes what stays.
func (c *caseRun) linksOf(s Step) (all []store) {
	if s.whose() != "" {
		return find(c.links, s.whose())
	}
	for _, l := range c.links {
		if slices.ContainsFunc(c.learned[c.Operation], func(m learned) bool { return m.link == l.Name() && m.stays() }) {
			all = append(all, l)
		}
	}
	return all
}
