package inject

// Fault is one thing done to one attempt, provider, link, worker or clock.
// Values are comparable. Name is one of those in Faults. Arg is the fault's
// argument where it takes one: a duration for delay and slow, a stage for
// cut-client, a status for replace-answer, a JSON pointer for change-payload, a
// number of calls for fail.
type Fault struct{ Name, Arg string }

// Faults of a request.
var (
	LoseRequest   = Fault{Name: "lose-request"}
	LoseAnswer    = Fault{Name: "lose-answer"} // also a fault of a provider
	CutClient     = Fault{Name: "cut-client"}  // Arg: headers-sent, half-body, body-sent (default), answer-begun
	Delay         = Fault{Name: "delay"}
	ReplaceAnswer = Fault{Name: "replace-answer"} // Arg: the status the caller sees, 502 by default
	ChangePayload = Fault{Name: "change-payload"}
	Reencode      = Fault{Name: "reencode"}
	ChangeKey     = Fault{Name: "change-key"}
	DropKey       = Fault{Name: "drop-key"}
	MalformKey    = Fault{Name: "malform-key"} // Arg: empty, blank, malformed (default), over-long, doubled, non-ascii
)

// Faults that schedules draw and plans spell out as steps.
var (
	Repeat  = Fault{Name: "repeat"}
	Overlap = Fault{Name: "overlap"}
	Late    = Fault{Name: "late"}
)

// Reorder is a fault of a message of a Queue: the next one is delivered before it.
var Reorder = Fault{Name: "reorder"}

// Faults of a provider.
var (
	Fail   = Fault{Name: "fail"}   // Arg: for how many calls, 1 by default; "after", "2 after": the work was done
	Refuse = Fault{Name: "refuse"} // a definite no
	Slow   = Fault{Name: "slow"}   // Arg: how long
	Hold   = Fault{Name: "hold"}   // until a second call of the same operation arrives, at most 1 s
)

// Faults of a link and of a worker at a moment. Refuse and Hold are faults of a
// link, too. ReadOnly, Restart and Resume are steps of a plan.
var (
	Cut        = Fault{Name: "cut"}
	ReadOnly   = Fault{Name: "read-only"}
	LoseReply  = Fault{Name: "lose-reply"}
	KillBefore = Fault{Name: "kill-before"}
	KillAfter  = Fault{Name: "kill-after"}
	Pause      = Fault{Name: "pause"}
	Restart    = Fault{Name: "restart"}
	Resume     = Fault{Name: "resume"}
)
