package history_test

import (
	"bytes"
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

func ExampleRecorder() {
	var file bytes.Buffer
	rec, err := history.NewRecorder(&file, history.Header{Run: "r7k2m9"}, history.Redactor{Fields: []string{"password"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rec.Add(history.Event{Kind: history.Invoke, Op: "42", Attempt: 1}, []byte(`{"order":"42","amount":1.0}`))
	rec.Add(history.Event{Kind: history.Unknown, Op: "42", Attempt: 1, Status: "reset"}, nil)
	rec.Add(history.Event{Kind: history.Invoke, Op: "42", Attempt: 2}, []byte(`{"amount":1,"order":"42"}`))
	rec.Add(history.Event{Kind: history.Effect, Op: "42", Name: "card-charge", Count: 1}, nil)
	rec.Add(history.Event{Kind: history.OK, Op: "42", Attempt: 2, Status: "201"}, []byte(`{"id":"ch_1"}`))
	if err := rec.Close(); err != nil {
		fmt.Println(err)
		return
	}

	h, err := history.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for op := range h.Operations() {
		first, second := op.Attempts[0], op.Attempts[1]
		fmt.Println(op.ID, first.Outcome(), second.Outcome(), len(op.Effects))
		fmt.Println("same payload:", first.Begin.Payload == second.Begin.Payload)
		fmt.Println("same bytes:", first.Begin.Attrs[history.AttrRaw] == second.Begin.Attrs[history.AttrRaw])
	}
	// Output:
	// 42 unknown ok 1
	// same payload: true
	// same bytes: false
}

func ExampleCanonical() {
	text, ok := history.Canonical([]byte(`{"b": [1.0, 1e2], "a": "\u00e9"}`))
	fmt.Println(string(text), ok)
	// Output: {"a":"é","b":[1,100]} true
}

func ExampleWrite() {
	h := history.History{Events: []history.Event{{Seq: 1, Kind: history.Invoke, Op: "42", Attempt: 1}}}
	var file bytes.Buffer
	if err := history.Write(&file, h); err != nil {
		fmt.Println(err)
		return
	}
	again, err := history.Read(&file)
	fmt.Println(len(again.Events), again.Events[0].Op, err)
	// Output: 1 42 <nil>
}
