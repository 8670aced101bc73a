package history

import (
	"io"
	"iter"
)

// Operations returns the operations in the order of their first attempt.
func (h History) Operations() iter.Seq[Operation] { panic("todo") }

// Read reads a history. A *Truncated error still comes with the history up to
// the last whole line.
func Read(r io.Reader) (History, error) { panic("todo") }

// Timeline writes the events of one operation as text, witnesses marked "!".
func Timeline(w io.Writer, op Operation, witnesses []int64) error { panic("todo") }
