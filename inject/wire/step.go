// Package wire puts links between a system and what it depends on: a link
// passes every byte on, knows the protocol, and stops at each of its steps, so
// that a fault strikes exactly between an effect and its commit.
//
//	db, err := wire.Open(wire.Config{Name: "db", Protocol: wire.Postgres, To: "127.0.0.1:5432"})
//	db.Watch(func(s wire.Step) wire.Action {
//		if s.Name == "COMMIT" && s.Phase == wire.After {
//			return wire.Cut // it is committed, and the system never hears
//		}
//		return wire.Pass
//	})
//	defer db.Close()
//
// # Links
//
// A [Link] listens, and the system connects to its Addr in place of the
// dependency. A [Hook] sees each [Step] twice, [Before] it is delivered and
// [After] it was done, and answers with an [Action]; the step is held until it
// does. Down and Up take the dependency away and bring it back. Err says what
// the link could not understand: from then on steps may be missing.
//
// # Protocols
//
// [HTTP], [Postgres], and [TCP], which has no steps. A further [Protocol] is one
// file of this package. docs/links.md says how each names its steps, and where
// its limits are.
//
// # Points and toxics
//
// [Points] is where the points of code of a worker (package point) meet the
// tool: they are steps like any other, with only Before. A [Toxic] is a fault
// of toxiproxy on the bytes of a link, for as long as the link lives.
package wire

// A Step is one request of the system to something it depends on, or a named
// point of its code, as a Hook sees it: once before it is delivered and once
// after it was done.
type Step struct {
	Link  string // "db"; of a point ""
	Name  string // "INSERT charges", "COMMIT", "POST /v1/charges", "after-effect"
	Phase Phase
	Conn  int    // number of the connection on its link, from 1
	From  string // who asks: the address of its end of the connection; at a point "pid 4711"
	Call  int64  // the same before and after, and no other's on its link

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
