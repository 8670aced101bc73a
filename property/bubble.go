package property

import (
	"testing"

	"pgregory.net/rapid"
)

// InBubble is t for a law of which each case runs in a bubble of virtual time of
// its own (see testing/synctest): what sleeps for a day takes no time.
//
//	property.UnderFaults(property.InBubble(t), options, trial)
//
// It does what rapid.SyncTest does inside a property. What opens sockets, or asks
// a database for the time, does not follow the bubble, and goroutines must end
// with the case.
func InBubble(t *testing.T) rapid.TB { return bubble{t} }

type bubble struct{ *testing.T }
