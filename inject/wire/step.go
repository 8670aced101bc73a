// Package wire puts links between a system and what it depends on: a link
// passes every byte on, knows the protocol, and stops at each of its steps, so
// that a fault strikes exactly between an effect and its commit.
package wire

// A Step is one request of the system to something it depends on, or a named
// point of its code, as a Hook sees it: once before it is delivered and once
// after it was done.
type Step struct {
	Link  string // "db"; of a point ""
	Name  string // "INSERT charges", "COMMIT", "POST /v1/charges", "after-effect"
	Phase Phase
	Conn  int   // number of the connection on its link, from 1
	Call  int64 // the same before and after, and no other's on its link

	Within bool // it belongs to a transaction that was begun before it on its connection

	Text    string // what was asked, for people; at most 200 bytes
	Reply   string // After: what came back: "INSERT 0 1", "COMMIT", "201", "ERROR 40001"
	Refused bool   // After: the dependency did not do it
	Durable bool   // After: what was written is there for good, whatever becomes of the connection
}

// Moment is the name by which people know the step: "db INSERT charges", "after-effect".
func (s Step) Moment() string {
	if s.Link == "" {
		return s.Name
	}
	return s.Link + " " + s.Name
}

// Phase says how far a Step has come.
type Phase int

// Before: asked for and not delivered. After: done, and the system has not
// heard. A point of code has only Before.
const (
	Before Phase = iota
	After
)

// Action is what a Hook makes of a Step.
type Action int

const (
	Pass     Action = iota // deliver it
	Cut                    // do not deliver it, and reset the connection on both sides
	Refuse                 // Before, where the protocol can say no: the link answers for the dependency, which hears nothing; elsewhere as Cut
	ReadOnly               // Before, of a write, where the protocol can say that nothing can be written now: as Refuse; other steps pass
)

// A Hook decides what becomes of a Step. It may take its time: the step is held
// until it returns, and so is what comes after it on its connection, but
// nothing else. It may be called from many goroutines.
type Hook func(Step) Action
