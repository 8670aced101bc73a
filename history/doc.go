// Package history holds what happened in one run, in order: the attempts of
// operations, the effects that observers saw, the faults that fired. It records
// events, writes and reads them as JSON lines, joins them to operations, and
// draws one operation as text. It judges nothing.
//
//	rec, err := history.NewRecorder(file, history.Header{Run: "r7k2m9"}, history.Redactor{})
//	seq := rec.Add(history.Event{Kind: history.Invoke, Op: "42", Attempt: 1}, body)
//	err = rec.Close()
//	...
//	h, err := history.Read(file)
//	for op := range h.Operations() {
//		history.Timeline(os.Stdout, op, []int64{seq})
//	}
//
// [Recorder] writes, [Read] reads; [Event] has the kinds, marks and attributes,
// [Operation] and [Attempt] what is joined, [Timeline] and [Rows] draw it.
//
// # The file
//
// Lines of JSON in UTF-8, version 1. The first line is the Header, each next
// one an Event with its empty fields left out. Seq rises from line to line.
// Readers ignore fields that they do not know; a new kind of event is a new
// version. A file that a crash cut short is read up to its last whole line.
//
// # Fingerprints
//
// Payload, Answer and the attribute "raw" are keyed hashes under a random key
// that lives as long as the Recorder and is never written: they tell whether
// two bodies of one run are equal and nothing else. Equal "raw" means the same
// bytes, equal Payload the same JSON value in the sense of Canonical.
//
// # Secrets
//
// What a Redactor names and what looks like a card number is replaced by
// <hmac:1a2b3c4d> before it is written or kept, in bodies, hidden answers,
// causes and attributes; equal secrets stay equal, and JSON stays JSON. The
// ids, keys and scopes of operations are kept as they are. A body that is not
// UTF-8 is kept as "base64:" and its encoding.
package history
