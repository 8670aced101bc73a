package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// AgeCommand ages by a command of the user's, which has 10 s. It reads
// {"ids": [...], "keys": [...], "run": "...", "seconds": 90000} from its standard
// input; IDEMCHECK_IDS, IDEMCHECK_KEYS (lists as JSON), IDEMCHECK_RUN_ID and
// IDEMCHECK_SECONDS in its environment say the same. Its exit code 0 means done.
type AgeCommand struct {
	Argv []string // program and arguments; there is no shell
}

// Check tells whether the program is there.
func (a AgeCommand) Check(context.Context) error {
	if err := runnable(a.Argv); err != nil {
		return fmt.Errorf("age: %w", err)
	}
	return nil
}

// Age runs the command.
func (a AgeCommand) Age(ctx context.Context, q Query, by time.Duration) error {
	in := question(q)
	in.Seconds = by.Seconds()
	ids, _ := json.Marshal(in.IDs)
	keys, _ := json.Marshal(in.Keys) // a list of texts can always be written
	_, err := command(ctx, a.Argv, in, "IDEMCHECK_IDS="+string(ids), "IDEMCHECK_KEYS="+string(keys),
		"IDEMCHECK_RUN_ID="+q.Run, "IDEMCHECK_SECONDS="+inSeconds(by))
	if err != nil {
		return fmt.Errorf("age: %w", err)
	}
	return nil
}
