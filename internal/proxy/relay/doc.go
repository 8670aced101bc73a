// Package relay carries HTTP/1.1 between a caller and a service, byte for byte.
//
// It reads just enough of each message to know where it ends and what it is
// for. What it relays is never written anew: the service gets the bytes that the
// caller sent, and the caller the bytes that the service answered.
//
//	caller ── Server.Serve ── service      one connection here, one there
//	              │
//	            Hooks: Begin (head and start of the body), End
//
// It takes only messages that every reader frames alike: a plain start line,
// lines that end with CRLF, and one Content-Length or chunked. Anything odd but
// lawful (Upgrade, Expect, HTTP/1.0, trailers that were announced) goes to
// Server.Odd with the connection; anything unlawful is refused.
//
// A request is sent once. Where the connection to the service breaks after a byte
// of the request may have left, the caller's connection breaks too.
package relay
