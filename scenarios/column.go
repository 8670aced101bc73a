package scenarios

// Column is what a map does at each moment: one fault.
type Column struct {
	Name  string // "kill after"
	Doc   string // who lives: "worker dies"
	Story string // what happens in such a window, in sentences
	Kills bool   // it ends a worker
}

// Names of Columns.
const (
	columnCut        = "cut"         // not delivered, the worker lives
	columnKillBefore = "kill before" // not delivered, the worker dies
	columnLoseReply  = "lose reply"  // done, the worker lives and does not hear
	columnKillAfter  = "kill after"  // done, the worker dies before it hears
	columnHeld       = "held"        // held while a repeat runs
)

// columns are the names of Columns.
var columns = []string{columnCut, columnKillBefore, columnLoseReply, columnKillAfter, columnHeld}

// Columns of a map, in their order.
var Columns = []Column{
	{Name: columnCut, Doc: "worker lives",
		Story: "The request of this moment is not delivered, and its connection is reset. The worker lives. Then the caller sends again."},
	{Name: columnKillBefore, Doc: "worker dies", Kills: true,
		Story: "The worker is killed before the request of this moment is delivered, and started again. Then the caller sends again."},
	{Name: columnLoseReply, Doc: "worker lives",
		Story: "The request of this moment is carried out, and the connection is reset before the worker hears so. Then the caller sends again."},
	{Name: columnKillAfter, Doc: "worker dies", Kills: true,
		Story: "The request of this moment is carried out, and the worker is killed before it hears so, and started again. Then the caller sends again."},
	{Name: columnHeld, Doc: "both in flight",
		Story: "The request of this moment is held while a repeat of the operation runs to its end or waits, at most for a second or half of a stated claim."},
}
