// Package inject does things to deliveries: it loses, delays, repeats, overlaps
// and changes them, over HTTP and in process.
//
// # Values
//
// A [Fault] is a comparable value with one spelling, "lose-answer" or
// "delay: 50ms"; [Faults] is the catalogue and [ParseFault] reads one. A
// [Schedule] decides which delivery is struck. [Seeded] makes one that is a pure
// function of seed and [Site]: one seed, one schedule, whatever the order in
// which goroutines ask.
//
// # Carriers
//
// [Transport] wraps an http.RoundTripper, for Go tests:
//
//	s := inject.Seeded(1, 0.3, inject.LoseAnswer, inject.Repeat)
//	client := &http.Client{Transport: inject.Transport(http.DefaultTransport, s, nil)}
//	req = req.WithContext(inject.Numbered(ctx, order))
//	resp, err := client.Do(req)
//
// [Dialer] is an HTTP/1.1 client of our own on one fresh connection an attempt.
// It can stop in the middle of a request, and it makes copies overlap by holding
// back the last byte of each ([Dialer.Together]). Neither carrier ever sends a
// request again by itself.
//
// The payload faults are pure functions on bodies: [ChangeJSON], [ChangeForm],
// [ReencodeJSON].
//
// # The outside world
//
// [Provider] plays the payment provider that a service calls: an http.Handler
// with a ledger of effects, idempotency keys of its own, and faults that strike
// the nth call of one operation.
package inject
