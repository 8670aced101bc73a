// Package config reads idemcheck.yaml: strictly, with the place of each
// mistake, and with everything checked that can be without a connection. What
// comes out is a File, which System makes into something that can be run.
//
// Templates in it are read by internal/template. Upper-case names are resolved
// here, once; their values are kept out of every artefact (File.Redact).
//
// Only loopback and the hosts under allow: are touched. A provider stand-in
// listens where the file says: an address that is written out is told, so it
// needs no allow; without a host (":9100") it listens on loopback.
package config

import (
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// File is an idemcheck.yaml that is sound.
type File struct {
	Name       string   // of the file
	Target     string   // "http://127.0.0.1:8080", perhaps with a path, without a slash at its end
	Protocol   string   // "h2", or "": HTTP/1.1
	Replicas   []string // further addresses of the same system
	Operations []Operation
	Contract   contract.Contract
	Scopes     []Scope
	Effects    []Effect
	NoEffects  bool // effects: none
	Links      []Link
	Workers    []Worker
	Rules      []Rule
	Age        *Age // nil: not said
	Limits     scenarios.Limits
	Redact     history.Redactor
	Exclusive  bool
	Allow      []string // hosts beyond loopback
	Accept     []Accept
	Proxy      *settings.Settings // nil: no block
}

// Operation is one entry of operations:.
type Operation struct {
	target.Operation
	Name    string
	Line    int // in the file
	Before  []string
	EntryOf string            // it is another entry point for that operation
	Take    map[string]string // name to JSON pointer
	Test    bool              // it is under test
}

// Scope is one entry of scopes:.
type Scope struct {
	target.Scope
	Name string
}

// Effect is one observer; one of the fields below is set, as its Kind says.
type Effect struct {
	history.Observer
	SQL      *SQL
	HTTP     *HTTP
	Provider *Provider
	Redis    *Redis
	SMTP     *SMTP
	Command  []string // program and arguments
}

// Redis is an observer that counts what stands under a key.
type Redis struct {
	URL   string
	Key   template.Text
	Field string // of a hash
}

// SMTP is a mail server that the target sends to.
type SMTP struct {
	Listen       string
	ID           observe.MailPlace
	PerRecipient bool
}

// SQL is an observer that runs a query.
type SQL struct{ URL, Query string }

// HTTP is an observer that asks an API.
type HTTP struct {
	Method  string
	URL     template.Text // a path is one of the target
	Count   string        // JSON pointer
	Version string        // likewise; "": it shows none
	Headers []target.Header
}

// Provider is a stand-in for a service that the target calls.
type Provider struct {
	Listen, Effect, ID string
	Sums               []string // JSON pointers to numbers that a rule adds up
	Version            string   // where a call carries the version of its entity; "": nowhere
	Contract           contract.Contract
	Status             int // of its answer; 0: the stand-in's own answer
	Answer             target.Body
}

// Rule is one of the user's.
type Rule struct {
	history.UserRule
	URL, Query string          // of its database; expressions have none
	Pages      []string        // counted: the metrics, of each replica
	Headers    []target.Header // counted
	WithinTime time.Duration   // bounded: how long a record may stay after its life; 0: not stated
}

// defaultRate is how many attempts a second a target off loopback gets.
const defaultRate = 50
