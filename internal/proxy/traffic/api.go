package traffic

import (
	"net/http"
	"time"
)

// Kinds of requests that no repeat is made of.
const (
	Streamed = "streamed" // the answer has no end: server-sent events, gRPC streams
	Upgraded = "upgraded" // the connection changed its protocol
)

// Pass is one request of a caller and how it was answered. The slices are only
// read during the call.
type Pass struct {
	Method, Path []byte // Path without the query
	Sent         Sent   // by Learner.Read, of the head
	Status       int    // 0: no answer
	Body         uint64 // a hash of the whole body; 0: empty, or not known
	Caller       uint64 // a hash of the address without its port
	Took         time.Duration
	Kind         string // "", Streamed, Upgraded
	Lost         bool   // the answer did not reach the caller
	Kept         bool   // since the proxy kept it from the caller, whose retry is then no habit
}

// Repeat is a request that was sent twice: by the proxy, or by its caller after
// the proxy had kept the answer from it.
type Repeat struct {
	Method, Target string // Target as on the wire
	Fault          string // as in the rule: "repeat", "overlap", "late"
	Key            string // "" if it has none
	Op             string // id of the operation, where the file says how to find it
	Header         http.Header
	Body           []byte
	BodyCut        bool // Body is only its beginning
	First, Second  Answer
	Overlapped     bool // the second was sent before the first was answered
	OtherKey       bool // the second had no key (drop-key), so it may rightly be another request
	Reencoded      bool // the second had another body that means the same
	At             time.Time
	Recorded       string // the operation under which the history has it; "" if it has not
}

// Answer is one answer to a request of a pair.
type Answer struct {
	Status          int // 0: none
	Header, Trailer http.Header
	Body            []byte // without its framing; its content may still be encoded
	Cut             bool   // Body is only its beginning, or the answer broke off
	Err             string // reset, timeout, cut-off, unreachable; "" if the answer is whole
	Took            time.Duration
}

// Effects is what an observer counted for one operation after it settled.
type Effects struct {
	Method, Target string // of the request
	Op             string // what was counted by: an id or a key
	Observer, Say  string // Say: what one effect is in business terms
	Count          int
	Sent           int  // how often callers sent it: more than once says nothing of copies
	Copies         int  // how often the proxy did; 0: a control
	Accepted       bool // one of its answers was a success
	Early          bool // there was less time than effects are given: more may come
	Fault          string
}

// Total is a sample of a sum that has no ids, with what passed on the routes
// that change it since the sample before.
type Total struct {
	Observer, Say    string
	Route            string // as Learner.Route names it
	Change           float64
	Accepted, Copies int
}

// Look is a GET that would show what a request made. The engine sends it with
// Header and tells Looked how it was answered.
type Look struct {
	ID     int64
	Target string
	Header http.Header
}
