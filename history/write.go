package history

import (
	"encoding/json"
	"fmt"
	"io"
)

// Write writes a history in the form that Read reads: for one that was kept in
// memory. It fills and redacts nothing: a Recorder has done so.
func Write(w io.Writer, h History) error {
	h.Header.Version = format
	line, err := json.Marshal(h.Header)
	if err != nil {
		return fmt.Errorf("history: header: %w", err)
	}
	buf := append(line, '\n')
	for i := range h.Events {
		buf = append(appendEvent(buf, &h.Events[i]), '\n')
		if len(buf) >= chunk {
			if _, err := w.Write(buf); err != nil {
				return fmt.Errorf("history: write: %w", err)
			}
			buf = buf[:0]
		}
	}
	if _, err := w.Write(buf); err != nil {
		return fmt.Errorf("history: write: %w", err)
	}
	return nil
}
