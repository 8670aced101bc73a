package checkers

import "github.com/idemcheck/idemcheck/history"

// career is what is known of one job: commands, -1 where there is none.
type career struct {
	from  int // the enqueue that began first
	there int // the enqueue or take that was answered first: it was there by then
	acked int // the acknowledgement that was answered first
}

// jobBounds looks at each job alone: it was enqueued before it was handed out, and
// not handed out after it had been acknowledged.
func jobBounds(_ backlog, cs []command[Job]) finding {
	careers := map[string]*career{}
	for i := range cs {
		id := cs[i].do.ID
		if careers[id] == nil {
			careers[id] = &career{-1, -1, -1}
		}
		careers[id].add(cs, i)
	}
	for i := range cs {
		c := &cs[i]
		if c.do.Do != "take" || c.end != history.OK || c.do.ID == "" {
			continue
		}
		k := careers[c.do.ID]
		if k.from < 0 || cs[k.from].call > c.ret {
			return misfits(c.do.ID+" was handed out before anybody enqueued it", "", i)
		}
		if k.acked >= 0 && cs[k.acked].ret < c.call && cs[k.there].ret < cs[k.acked].call {
			return misfits(c.do.ID+" was handed out after it had been acknowledged",
				"a repeat of the enqueue made the job again, or the acknowledgement was not kept.", i, k.acked, k.from)
		}
	}
	return finding{}
}

func (k *career) add(cs []command[Job], i int) {
	c := &cs[i]
	first := func(was int) int {
		if was < 0 || c.ret < cs[was].ret {
			return i
		}
		return was
	}
	switch {
	case c.end == history.Refused:
		return
	case c.do.Do == "enqueue" && k.from < 0:
		k.from = i
	}
	if c.do.Do == "ack" {
		if c.end == history.OK {
			k.acked = first(k.acked)
		}
		return
	}
	k.there = first(k.there)
}
