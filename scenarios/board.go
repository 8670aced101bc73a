package scenarios

import (
	"github.com/idemcheck/idemcheck/inject/wire"
)

// strike is one thing that happens at a moment.
type strike struct {
	moment string                      // "db COMMIT"
	nth    int                         // which of that name since it was armed, from 1
	phase  wire.Phase                  // before or after
	do     func(wire.Step) wire.Action // may take its time
	fired  func() bool
}
