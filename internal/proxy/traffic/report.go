package traffic

import "time"

// Verdict is what the traffic says of a route.
type Verdict string

// The verdicts, the worst first.
const (
	Certain  Verdict = "certain"
	Likely   Verdict = "likely"
	Unknown  Verdict = "unknown"
	Held     Verdict = "held"
	NotTried Verdict = "not tried"
)

// Report is what was learned so far. Its JSON form is that of traffic.json.
type Report struct {
	Version  int       `json:"version"` // 1
	Tool     string    `json:"tool"`
	Run      string    `json:"run"`
	Target   string    `json:"target"` // the URL of the service
	Listen   string    `json:"listen"` // that of the proxy
	Seed     uint64    `json:"seed"`   // it chose the requests
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`  // since then
	Verdict  Verdict   `json:"verdict"`  // the worst of the routes
	Requests int64     `json:"requests"` // of callers
	Repeats  int64     `json:"repeats"`  // requests that were sent twice and told of
	State    State     `json:"state"`
	Routes   []Route   `json:"routes"` // the worst first
	Callers  Callers   `json:"callers"`
	Notes    []string  `json:"notes"` // what keeps the report from being whole
}

// State is that of the proxy; the engine fills it.
type State struct {
	Running  bool     `json:"running"`
	On       bool     `json:"on"`
	Why      string   `json:"why"`      // nothing is struck: "switched off by signal", "the error rate rose to 12 %"
	Breaker  bool     `json:"breaker"`  // open: the error rate rose
	Used     int      `json:"used"`     // duplicates in the last minute
	Budget   int      `json:"budget"`   // a minute
	Refused  int64    `json:"refused"`  // that were not made, since the budget was used up
	Skipped  int64    `json:"skipped"`  // that were not made for another reason
	InFlight int      `json:"inflight"` // copies
	Rules    []string `json:"rules"`    // in words
	Dropped  int64    `json:"dropped"`  // lines of the history that were deleted to keep to its limit
}

// Route is one kind of request.
type Route struct {
	Name      string           `json:"name"`      // "POST /charges"
	Operation string           `json:"operation"` // by the file; "" if it names none
	Method    string           `json:"method"`
	Path      string           `json:"path"` // {} stands for what changes
	Verdict   Verdict          `json:"verdict"`
	Requests  int64            `json:"requests"`
	Keyed     int64            `json:"keyed"`    // that carried a key
	Answers   map[string]int64 `json:"answers"`  // by class: "2xx", "none"
	Streamed  int64            `json:"streamed"` // answers without an end
	Upgraded  int64            `json:"upgraded"` // connections that changed their protocol
	MeanMs    float64          `json:"mean_ms"`  // until the answer was there
	Repeats   map[string]int64 `json:"repeats"`  // by fault
	Tried     int64            `json:"tried"`    // repeats of what was accepted
	Same      int64            `json:"same"`     // answered alike, but for masks
	Marked    int64            `json:"marked"`   // answered with the marker of a replay
	Conflict  int64            `json:"conflict"` // 409 and the like; 404 to a DELETE
	Refused   int64            `json:"refused"`  // another 4xx
	Limited   int64            `json:"limited"`  // 429, or 503 under load
	Failed    int64            `json:"failed"`   // 5xx, reset, no answer
	Differ    int64            `json:"differ"`   // accepted, and answered otherwise
	Masks     []string         `json:"masks"`    // places that change in every answer
	Counted   []Counted        `json:"counted"`  // what observers showed
	Findings  []Finding        `json:"findings"` // the worst first
}

// Counted is what one observer showed of a route.
type Counted struct {
	Observer string `json:"observer"`
	Say      string `json:"say"`
	Controls int64  `json:"controls"` // requests sent once that were counted
	Usual    int    `json:"usual"`    // effects of a control; -1 if they vary
	Repeated int64  `json:"repeated"` // requests sent twice that were counted
	Twice    int64  `json:"twice"`    // that had more effects than a control
	Lost     int64  `json:"lost"`     // that were accepted and had none
}

// Finding is one thing that was seen of a route.
type Finding struct {
	Kind    string   `json:"kind"` // "twice", "two-things", "second-id", ...
	Verdict Verdict  `json:"verdict"`
	Words   string   `json:"words"`
	Cure    string   `json:"cure"` // what is usually done about it; "": nothing known
	N       int64    `json:"n"`    // repeats that showed it
	Of      int64    `json:"of"`   // repeats that could have
	Example *Example `json:"example"`
}

// Example is one repeat, redacted.
type Example struct {
	At          time.Time    `json:"at"`
	Fault       string       `json:"fault"`
	Request     string       `json:"request"` // "POST /charges"
	Key         string       `json:"key"`
	Op          string       `json:"op"`   // the id of the operation, where it is known
	Body        string       `json:"body"` // its beginning, without secrets
	First       Shown        `json:"first"`
	Second      Shown        `json:"second"`
	Differences []Difference `json:"differences"`
	Curl        string       `json:"curl"` // the lines that send it twice
}

// Shown is an answer for people.
type Shown struct {
	Status string `json:"status"`
	Body   string `json:"body"`
	Ms     int64  `json:"ms"`
}

// Difference is one place at which two answers do not agree.
type Difference struct {
	Where  string `json:"where"` // a JSON pointer, "status", "header location"
	First  string `json:"first"`
	Second string `json:"second"`
}

// Callers is what was seen of keys and of retries that nobody here made. It is
// never a verdict on the service.
type Callers struct {
	Keyed    int64   `json:"keyed"`   // unsafe requests with a key
	Keyless  int64   `json:"keyless"` // without, on routes where others have one
	Never    int64   `json:"never"`   // on routes where no request has one
	Retries  int64   `json:"retries"` // requests that came again by themselves
	Findings []Habit `json:"findings"`
}

// Habit is one thing that callers do.
type Habit struct {
	Kind    string `json:"kind"` // "other-body", "retry", ...
	Words   string `json:"words"`
	Cure    string `json:"cure"`
	N       int64  `json:"n"` // requests
	Route   string `json:"route"`
	Example string `json:"example"` // a key
}
