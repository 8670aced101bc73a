package checkers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// ExampleModel tests a store whose writes are repeated when their answer is lost:
// a repeat that comes after another write must not write again.
func ExampleModel() {
	t := printer{"TestWritesHappenOnce"}

	lost := inject.Tape(map[inject.Site][]inject.Fault{{Name: inject.SiteRequest, Number: 1, Attempt: 1}: {inject.LoseAnswer}})
	run := inject.Options{Name: "write", Schedule: lost}.Start(t)
	ids := slices.Collect(run.IDs(2))
	values := map[string]string{ids[0]: "red", ids[1]: "blue"}

	colour := "" // what is stored, without a look at who wrote it before
	write := func(id string) {
		_, _ = inject.Call(run, id, func(context.Context) (string, error) { colour = values[id]; return "stored", nil })
	}
	read := func(id string) {
		_, _ = inject.Call(run, id, func(context.Context) (string, error) { return colour, nil })
	}
	write(ids[0]) // its answer is lost
	read("look-1")
	write(ids[1])
	write(ids[0]) // so it is sent again
	read("look-2")

	checkers.Model(t, run.History(), checkers.Register, func(a history.Attempt) (string, checkers.Access, bool) {
		if value, ok := values[a.Begin.Op]; ok {
			return "colour", checkers.Access{Write: true, Value: value}, true
		}
		return "colour", checkers.Access{Value: strings.Trim(a.End.Body, `"`)}, true
	})
	// Output:
	// register: colour: "red" came back after "blue" had come (1 of 1 rule failed; 1 fault on 4 operations)
	//      events  actor   command
	// !      3-11  client  write "red"  write-1, 2 tries
	// !       6-7  client  read "red"  look-1
	// !       8-9  client  write "blue"  write-2
	// !     12-13  client  read "red"  look-2
	// likely cause: a repeat of write-1 wrote "red" once more.
	// run again: IDEMCHECK_SEED=13361184 go test -run '^TestWritesHappenOnce$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}

// call is an attempt that is answered with a command as the system saw it.
func call[C any](run *inject.Run, id string, f func() C) {
	_, _ = inject.Call(run, id, func(context.Context) (C, error) { return f(), nil })
}

// answer reads a command from the answer; one that is lost says nothing here.
func answer[C any](a history.Attempt) (object string, c C, ok bool) {
	if a.Outcome() != history.OK {
		return "", c, false
	}
	return "", c, json.Unmarshal([]byte(a.End.Body), &c) == nil
}

// ExampleLedger tests deposits that are delivered twice.
func ExampleLedger() {
	t := printer{"TestDeposits"}
	run := inject.Options{Schedule: func(s inject.Site) []inject.Fault {
		if s.Number == 1 {
			return []inject.Fault{inject.Repeat}
		}
		return nil
	}}.Start(t)
	balance := int64(0)
	for id := range run.IDs(2) {
		call(run, id, func() checkers.Posting {
			balance += 10
			return checkers.Posting{To: "alice", Amount: 10}
		})
	}
	call(run, "look-1", func() checkers.Posting { return checkers.Posting{Look: "alice", Balance: balance} })
	checkers.Model(t, run.History(), checkers.Ledger, answer)
	// Output:
	// ledger: look at alice: 30, and only 20 can be (1 of 1 rule failed; 1 fault on 3 operations)
	//      events  actor   command
	//         3-4  client  10 to alice  order-1, 2 tries
	//         8-9  client  10 to alice  order-2
	// !     10-11  client  look at alice: 30  look-1
	// likely cause: something was posted to the account twice, or what should have left it was not.
	// run again: IDEMCHECK_SEED=3158021906 go test -run '^TestDeposits$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}

// ExampleLock tests a lock whose lease runs out while its holder is held up.
func ExampleLock() {
	t := printer{"TestFencing"}
	run := inject.Start(t)
	do := func(id string, l checkers.Locking) { call(run, id, func() checkers.Locking { return l }) }
	do("acquire-1", checkers.Locking{Do: "acquire", Token: 33})
	do("acquire-2", checkers.Locking{Do: "acquire", Token: 34, Lease: true})
	do("write-2", checkers.Locking{Do: "write", Token: 34})
	do("write-1", checkers.Locking{Do: "write", Token: 33}) // the first holder goes on
	checkers.Model(t, run.History(), checkers.Lock, answer)
	// Output:
	// lock: write 33 was taken after write 34 (1 of 1 rule failed; 0 faults on 4 operations)
	//      events  actor   command
	//         2-3  client  acquire 33  acquire-1
	//         4-5  client  acquire 34  acquire-2
	// !       6-7  client  write 34  write-2
	// !       8-9  client  write 33  write-1
	// likely cause: what the lock protects does not compare tokens, so a holder whose lease had run out wrote over its follower.
	// run again: IDEMCHECK_SEED=1857572065 go test -run '^TestFencing$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}

// ExampleJobs tests a queue whose enqueue is sent again when the job is done.
func ExampleJobs() {
	t := printer{"TestQueue"}
	run := inject.Start(t)
	var queue []string
	enqueue := func(id, job string) {
		call(run, id, func() checkers.Job { queue = append(queue, job); return checkers.Job{Do: "enqueue", ID: job} })
	}
	take := func(id string) {
		call(run, id, func() checkers.Job {
			job := queue[0]
			queue = queue[1:]
			return checkers.Job{Do: "take", ID: job}
		})
	}
	enqueue("enqueue-1", "mail")
	take("take-1")
	call(run, "ack-1", func() checkers.Job { return checkers.Job{Do: "ack", ID: "mail"} })
	enqueue("enqueue-1", "mail") // again
	take("take-2")
	checkers.Model(t, run.History(), checkers.Jobs, answer)
	// Output:
	// jobs: mail was handed out after it had been acknowledged (1 of 1 rule failed; 0 faults on 4 operations)
	//      events  actor   command
	// !       2-3  client  enqueue mail  enqueue-1, 2 tries
	//         4-5  client  take mail  take-1
	// !       6-7  client  ack mail  ack-1
	// !     10-11  client  take mail  take-2
	// likely cause: a repeat of the enqueue made the job again, or the acknowledgement was not kept.
	// run again: IDEMCHECK_SEED=4188777112 go test -run '^TestQueue$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}

// visit is a command of a counter.
type visit struct {
	Look  bool
	Count int
}

func (v visit) String() string {
	if v.Look {
		return fmt.Sprintf("look: %d", v.Count)
	}
	return "visit"
}

// ExampleMachine is a machine of one's own: a counter of visits.
func ExampleMachine() {
	t := printer{"TestVisits"}
	counter := checkers.Machine[int, visit]{
		Name: "counter",
		Step: func(n int, v visit, _ history.Kind) (int, bool) {
			if v.Look {
				return n, v.Count == n
			}
			return n + 1, true
		},
		Role: func(v visit) checkers.Role {
			if v.Look {
				return checkers.Look
			}
			return checkers.Once
		},
	}
	run := inject.Start(t)
	n := 0
	call(run, "visit-1", func() visit { n++; return visit{} })
	call(run, "visit-1", func() visit { n++; return visit{} }) // the same visit, delivered again
	call(run, "look-1", func() visit { return visit{Look: true, Count: n} })
	checkers.Model(t, run.History(), counter, answer)
	// Output:
	// counter: no order of its 2 commands explains look: 2 (1 of 1 rule failed; 0 faults on 2 operations)
	//      events  actor   command
	//         2-3  client  visit  visit-1, 2 tries
	// !       6-7  client  look: 2  look-1
	// run again: IDEMCHECK_SEED=3961436317 go test -run '^TestVisits$' github.com/idemcheck/idemcheck/checkers
	// history: kept by go test -artifacts, for idemcheck check
}
