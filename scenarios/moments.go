package scenarios

// Words for a moment of an operation, whatever its tables and points are called.
const (
	momentEffect = "effect" // what makes the effect: the last call of a provider, else the commit
	momentMark   = "mark"   // the first write that stays, where another follows
	momentWrite  = "write"  // the last insert, else the last other write
	momentCommit = "commit" // the last write that stays
	momentCall   = "call"   // the last call over HTTP that is more than a question
)

var momentWords = []string{momentEffect, momentMark, momentWrite, momentCommit, momentCall}
