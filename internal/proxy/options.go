// Package proxy is the staging proxy: it stands before a service, passes every
// request on, sends a share of them twice, and learns which routes cannot bear it.
//
// Requests of HTTP/1.1 in a plain form go through package relay, byte for byte.
// HTTP/2 and whatever is odd goes through net/http. Both ask the same rules and
// carry the same faults. What the traffic says is learnt by package traffic.
//
//	caller ── original ──▶ proxy ── original ──▶ service
//	       ◀── answer ────       ◀── answer ────
//	                             ── copy ──────▶ another replica, if there is one
//	                             ◀── answer, compared and thrown away
package proxy

import (
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// Options are what a proxy is made of. Listen and To must be there.
type Options struct {
	settings.Settings
	Run   string // its id
	Seed  uint64 // of the choice of requests
	Agent string // "idemcheck/0.1.0"
	Dir   string // where the history and the report go; "": nowhere

	Base       string           // the path of the target, below which the operations' paths are
	Operations []Operation      // those of the file: they name routes, and say where keys and ids are
	System     scenarios.System // observers, stand-ins, totals in rules, contract, what to redact; its target is not used

	Log func(line string) // what people should hear while it runs; nil: nobody listens
}

// Operation is a configured operation with its name.
type Operation struct {
	Name string
	target.Operation
}
