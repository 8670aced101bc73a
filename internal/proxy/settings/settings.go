// Package settings is what the staging proxy is told, as plain data: the block
// proxy: of idemcheck.yaml and the flags of the command. It reads the short
// texts of both (a share, a fault, a path pattern, a size) and checks them.
package settings

import (
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Settings are those of one proxy. The zero value of each field means its default.
type Settings struct {
	Listen    []Listen
	To        []Upstream // the service and its replicas
	Page      string     // where the page, the metrics and the health are served: "127.0.0.1:9180"; "": nowhere
	Share     Share      // of rules that name none
	Fault     inject.Fault
	Budget    int      // duplicates a minute
	NoBreaker bool     // errors of the service end nothing
	Exclude   []string // path patterns that are never struck, unless a rule names the method
	Off       string   // nothing is struck while this file exists
	History   History
	Rules     []Rule // none: every request that may change something
}

// Defaults.
const (
	DefaultBudget  = 600
	DefaultAddress = "127.0.0.1:8080"
	DefaultFile    = 64 << 20
	DefaultLimit   = 1 << 30
	DefaultLate    = 30 * time.Second
)

// DefaultShare is the share of requests that are struck where nothing is said.
var DefaultShare = Share{Percent: 5}

// Listen is one place where callers come in.
type Listen struct {
	Address   string // "127.0.0.1:8080", "unix:/run/proxy.sock"
	Cert, Key string // files in PEM; "": no TLS
}

// Upstream is one address of the service.
type Upstream struct {
	URL      string // http://127.0.0.1:9000, https://, h2c://, unix:/run/service.sock; no path
	CA       string // a file in PEM with the authorities that its certificate is checked against; "": the system's
	Insecure bool   // its certificate is not checked at all
}

// History says how much of the traffic is kept.
type History struct {
	None  bool
	Limit int64 // bytes of all files
	File  int64 // bytes of one
}

// Rule says which requests are struck, how, and how many of them.
type Rule struct {
	Methods []string          // none: all but the safe ones
	Path    string            // a path pattern; "": all
	Header  map[string]string // name to value; "*" is any value
	Key     string            // KeyPresent, KeyAbsent or "": either
	Type    string            // of the content: "application/json"; "text/*"
	Fault   inject.Fault
	Share   Share
	ID      string // where the id of the operation stands, for observers: "body /order", "header X-Order", "query order", "path 2"
}

// What a rule may ask of the key.
const (
	KeyPresent = "present"
	KeyAbsent  = "absent"
)

// Share is how many of the requests that match are struck. At most one field is set.
type Share struct {
	Percent float64
	First   int // the first n
	Every   int // each nth
}

// IsZero tells whether nothing is said.
func (s Share) IsZero() bool { return s == Share{} }
