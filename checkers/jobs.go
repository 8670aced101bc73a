package checkers

import (
	"fmt"
	"maps"

	"github.com/idemcheck/idemcheck/history"
)

// Job is a command of a queue of Jobs.
type Job struct {
	Do string // "enqueue", "take" or "ack"
	ID string // of the job; of a take, "" says that there was none
}

// String is the command as failure texts show it.
func (j Job) String() string {
	if j.Do == "take" && j.ID == "" {
		return "take: none there"
	}
	return j.Do + " " + j.ID
}

// backlog is the state of a queue.
type backlog struct {
	jobs   map[string]jobState
	hidden int // takes of which nobody knows what they took
}

type jobState int

const (
	waiting jobState = 1 + iota
	taken
	done
)

// Jobs is a queue that hands out each job at least once: a job that was enqueued
// is there until it is taken, may come again until it is acknowledged, and never
// after that, however often it is enqueued. To enqueue and to acknowledge are
// Once, each take counts.
var Jobs Machine[backlog, Job] = jobsMachine()

func jobsMachine() Machine[backlog, Job] {
	return Machine[backlog, Job]{
		Name: "jobs",
		Step: func(s backlog, j Job, end history.Kind) (backlog, bool) {
			if end == history.Refused {
				return s, true
			}
			switch j.Do {
			case "enqueue":
				if s.jobs[j.ID] != 0 {
					return s, true
				}
				return s.with(j.ID, waiting), true
			case "take":
				return s.take(j.ID, end)
			case "ack":
				if s.jobs[j.ID] == 0 {
					return s, end == history.OK // there is nothing to keep
				}
				return s.with(j.ID, done), true
			}
			panic(fmt.Sprintf("Job.Do is %q: want enqueue, take or ack", j.Do))
		},
		Role: func(j Job) Role {
			if j.Do == "take" {
				return Each
			}
			return Once
		},
		Equal:  func(a, b backlog) bool { return a.hidden == b.hidden && maps.Equal(a.jobs, b.jobs) },
		bounds: jobBounds,
	}
}

func (s backlog) with(id string, state jobState) backlog {
	jobs := maps.Clone(s.jobs)
	if jobs == nil {
		jobs = map[string]jobState{}
	}
	jobs[id] = state
	s.jobs = jobs
	return s
}

func (s backlog) take(id string, end history.Kind) (backlog, bool) {
	switch {
	case end == history.Unknown:
		s.hidden++
		return s, true
	case id == "":
		n := 0
		for _, state := range s.jobs {
			if state == waiting {
				n++
			}
		}
		return s, n <= s.hidden
	case s.jobs[id] == waiting || s.jobs[id] == taken:
		return s.with(id, taken), true
	}
	return s, false
}
