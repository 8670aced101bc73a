// Package traffic reads what passes a staging proxy: which routes there are,
// which keys their callers send, how the repeats of requests were answered, and
// what that says of each route. It sends nothing itself.
//
//	learner := traffic.New(traffic.Options{...})
//	learner.Pass(&pass)      // every request, when its answer is there
//	learner.Repeat(repeat)   // every request that was sent twice
//	report := learner.Report()
//
// # Verdicts
//
// A route is certain where a repeat was seen to change the world twice, or
// where what was accepted is not there; likely where answers say so and no sound
// service was found that answers alike; unknown where answers agree but nobody
// counted, or differ in ways that say nothing; held where effects were counted,
// one for each request, and answers agree; else it was not tried. Answers that
// sound services give to repeats are no evidence: fresh ids of requests, times,
// a 409 while the first is under way, current state, limits, an overload.
package traffic
