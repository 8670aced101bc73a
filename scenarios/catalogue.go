package scenarios

import (
	"embed"
	"fmt"
	"sync"
)

//go:embed catalogue/*.yaml
var files embed.FS

// order is the catalogue's: the plainest first, so that a broken set-up shows at once.
var order = []string{
	"plain", "repeat", "overlap", "lost-answer", "lost-request", "client-cut", "late-repeat",
	"changed-payload", "reencoded-payload", "missing-key", "other-scope", "first-attempt-fails", "same-body-two-ids",
	"provider-answer-lost", "provider-fails-after-effect", "definite-refusal", "first-of-two-fails",
	"overlap-three", "overlap-and-retry", "retry-overtakes-original", "two-entries", "double-click", "other-replica",
	"unkeyed-retry", "key-format", "unknown-then-reconcile", "fresh-envelope",
	"changed-field", "changed-while-running", "two-payloads-at-once", "changed-after-failure", "changed-after-life",
	"other-endpoint", "other-method", "look-alike-keys", "look-alike-twins", "look-alike-ids", "boundary-payload", "large-payload",
	"old-event-last", "every-order", "slow-handler", "key-life", "overlap-after-expiry",
	"kill-after-effect", "kill-before-effect", "kill-after-mark", "commit-reply-lost", "statement-reply-lost", "commit-conflict",
	"store-down", "store-read-only", "overlap-at-a-moment", "restart-between-attempts", "kill-after-answer", "zombie", "stuck-after-kill",
	"later-repeat", "key-volume",
}

// Catalogue is the scenarios that idemcheck brings along, in the order in which
// they run. The slice is the same each time: do not change it.
func Catalogue() []Plan { return catalogue() }

// catalogue is read when it is first asked for, not at each start of a program.
var catalogue = sync.OnceValue(load)

func load() []Plan {
	var plans []Plan
	for _, name := range order {
		file := "catalogue/" + name + ".yaml"
		b, err := files.ReadFile(file)
		if err != nil {
			panic(err)
		}
		p, err := Parse(file, b)
		if err != nil {
			panic(fmt.Sprintf("a plan of the catalogue is broken: %v", err))
		}
		plans = append(plans, p)
	}
	return plans
}

// Lookup finds a scenario of the Catalogue by name.
func Lookup(name string) (Plan, bool) {
	for _, p := range Catalogue() {
		if p.Name == name {
			return p, true
		}
	}
	return Plan{}, false
}
