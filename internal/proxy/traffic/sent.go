package traffic

// Sent is what the head of a request says of keys and retries.
type Sent struct {
	Key   []byte // the idempotency key, nil without one; part of the head
	Who   uint64 // a hash of the credentials; 0 without
	Try   int    // the number of this try, from 1, where a header tells; 0 where none does
	Layer Layer  // who says so
	Trace uint64 // a hash of the trace and span; 0 without
}

// Layer is who numbers tries.
type Layer uint8

// The layers whose headers are known.
const (
	Unnumbered Layer = iota
	Mesh             // x-envoy-attempt-count
	SDK              // x-stainless-retry-count, amz-sdk-request, ...
)
