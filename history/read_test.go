package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const smallHeader = `{"version":1,"run":"r7k2m9","seed":1,"target":"","contract":"","tool":"","start":"2026-01-02T03:04:05Z"}` + "\n"

func smallFile() string {
	return smallHeader +
		`{"seq":1,"at":5,"kind":"invoke","op":"é","attempt":1,"body":"{\"a\":1}","attrs":{"raw":"00"}}` + "\n" +
		`{"seq":2,"at":-6,"kind":"ok","op":"é","attempt":1,"status":"201"}` + "\n" +
		`{"seq":9,"at":7,"kind":"mark","name":"end"}` + "\n"
}

// TestReadCutOff cuts a file at every byte.
func TestReadCutOff(t *testing.T) {
	file := smallFile()
	whole, err := Read(strings.NewReader(file))
	if err != nil || len(whole.Events) != 3 {
		t.Fatalf("%d events, %v", len(whole.Events), err)
	}
	for n := range len(file) {
		cut := file[:n]
		h, err := Read(iotest.HalfReader(strings.NewReader(cut)))
		lines := strings.Count(cut, "\n")
		rest := n - strings.LastIndexByte(cut, '\n') - 1
		complete := rest > 0 && file[n] == '\n' // only the line feed is missing
		switch {
		case n == 0:
			if err == nil || err.Error() != "history is empty" {
				t.Errorf("empty: %v", err)
			}
			continue
		case lines == 0 && !complete:
			if err == nil || !strings.HasPrefix(err.Error(), "not an idemcheck history: ") {
				t.Errorf("byte %d: %v", n, err)
			}
			continue
		case complete:
			lines++
			rest = 0
		}
		var cutOff *Truncated
		if rest > 0 != errors.As(err, &cutOff) || rest == 0 && err != nil {
			t.Fatalf("byte %d: %v", n, err)
		}
		if cutOff != nil && (cutOff.Line != lines || cutOff.Dropped != int64(rest)) {
			t.Errorf("byte %d: %v", n, err)
		}
		if diff := cmp.Diff(whole.Events[:lines-1], append([]Event{}, h.Events...)); diff != "" {
			t.Errorf("byte %d: %s", n, diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	event := `{"seq":1,"at":0,"kind":"mark"}` + "\n"
	for name, c := range map[string]struct{ file, want string }{
		"empty":           {"", "history is empty"},
		"blank":           {"\n" + event, `not an idemcheck history: line 1: no header, which begins {"version":1,`},
		"text":            {"hello\n", `not an idemcheck history: line 1: no header, which begins {"version":1,`},
		"other JSON":      {`{"version":1}` + "\n", "not an idemcheck history: line 1: no run in the header"},
		"array":           {"[1]\n", `not an idemcheck history: line 1: no header, which begins {"version":1,`},
		"events only":     {event, `not an idemcheck history: line 1: no header, which begins {"version":1,`},
		"future":          {`{"version":7,"format":"new"}` + "\n", "history version 7 is not known; this tool reads version 1"},
		"past":            {`{"version":0,"run":""}` + "\n", "history version 0 is not known; this tool reads version 1"},
		"wrong header":    {`{"version":1,"run":"r","seed":"x"}` + "\n", "history: line 1: header: "},
		"broken line":     {smallHeader + event + `{"seq":2,"at"` + "\n" + event, "history: line 3: unexpected end of JSON input"},
		"wrong type":      {smallHeader + `{"seq":1,"at":"now","kind":"mark"}` + "\n", "history: line 2: json: "},
		"kind":            {smallHeader + `{"seq":1,"at":0,"kind":"okk"}` + "\n", `history: line 2: kind "okk" is not known: invoke, ok,`},
		"no seq":          {smallHeader + `{"at":0,"kind":"ok"}` + "\n", "history: line 2: seq 0 after 0: it must rise"},
		"seq again":       {smallHeader + event + "\n" + event, "history: line 4: seq 1 after 1: it must rise"},
		"binary":          {"\x00\x01\x02\n\xff", "not an idemcheck history: line 1"},
		"first line half": {`{"version":1,"run":"r7`, "not an idemcheck history: it ends within its first line"},
	} {
		h, err := Read(strings.NewReader(c.file))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || h.Events != nil {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	broken := errors.New("broken pipe")
	if _, err := Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("reader's error: %v", err)
	}
}

func TestReadIsTolerant(t *testing.T) {
	file := strings.ReplaceAll(smallHeader, "\n", "\r\n") +
		` { "seq" : 1, "at":1e0, "kind":"ok" , "new":{"x":[1]}, "key":null, "op":"\u0041\ud83d\ude00" }` + "\r\n\n" +
		`{"kind":"ok","seq":2,"attrs":{},"at":3}`
	file = strings.Replace(file, "1e0", "1", 1)
	h, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{{Seq: 1, At: 1, Kind: OK, Op: "A😀"}, {Seq: 2, At: 3, Kind: OK}}
	if diff := cmp.Diff(want, h.Events); diff != "" {
		t.Error(diff)
	}
}

func TestReadLongLines(t *testing.T) {
	body := bytes.Repeat([]byte(`{"a":"\n"}`), 100_000)
	var file bytes.Buffer
	rec, _ := NewRecorder(&file, Header{}, Redactor{})
	for range 3 {
		rec.Add(Event{Kind: OK}, body)
		rec.Add(Event{Kind: Mark}, nil)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := Read(&file)
	if err != nil || len(h.Events) != 6 || h.Events[4].Body != string(body) {
		t.Errorf("%d events, %v", len(h.Events), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(smallFile()))
	f.Add([]byte(smallFile()[:150]))
	f.Add([]byte(`{"version":7}`))
	f.Add([]byte(smallHeader + `{"seq":1,"AT":4,"kind":"ok","attrs":{"a":"b","a":"c"},"attrs":{"d":"\ud800"}}` + "\n\n[]"))
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := Read(bytes.NewReader(file))
		var cutOff *Truncated
		if err != nil && !errors.As(err, &cutOff) {
			return
		}
		again := []byte(smallHeader)
		for i := range h.Events {
			again = append(appendEvent(again, &h.Events[i]), '\n')
		}
		h2, err := Read(bytes.NewReader(again))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h.Events, h2.Events); diff != "" {
			t.Error(diff)
		}
		for op := range h.Operations() {
			if err := Timeline(&bytes.Buffer{}, op, []int64{1}); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzDecode holds the hand-written decoder to encoding/json.
func FuzzDecode(f *testing.F) {
	for line := range strings.Lines(smallFile()) {
		f.Add([]byte(strings.TrimSpace(line)))
	}
	f.Add([]byte(`{"seq":01,"at":-0,"kind":"\u006fk","attempt":1.5}`))
	f.Add([]byte(`{"seq":1,"kind":"ok","body":"\\\"\\","attrs":{"a":"\ud800\udc00\udc00"},"op":"é"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var fast, slow Event
		ok := newDecoder().fast(line, &fast)
		err := json.Unmarshal(line, &slow)
		if ok && err != nil {
			t.Fatalf("encoding/json says %v", err)
		}
		if ok {
			if diff := cmp.Diff(slow, fast); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// FuzzRoundTrip records anything and reads it back.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a", "b", "c", []byte(`{"x":"y"}`), int64(1), 2)
	f.Add("\xff\x00", "\u2028<", "pass=hunter2&", []byte("\xff4111111111111111"), int64(-1), -2)
	f.Fuzz(func(t *testing.T, a, b, c string, body []byte, at int64, n int) {
		var file bytes.Buffer
		rec, err := NewRecorder(&file, Header{Run: a, Target: b, Contract: c}, Redactor{Fields: []string{"pass", "x"}, Values: []string{c}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		rec.Add(Event{Kind: Invoke, Case: a, Op: b, Name: c, Scope: a, Key: b, Attempt: n, Actor: c}, body)
		rec.Add(Event{Kind: OK, At: at, Status: a, Hidden: b, Count: n, Cause: c, Attrs: map[string]string{a: b, AttrHeader + b: c}}, body)
		rec.Add(Event{Kind: State, Body: a + b, Payload: "x", Answer: "y"}, nil)
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		h, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rec.History(), h); diff != "" {
			t.Error(diff)
		}
		line := appendEvent(nil, &h.Events[1])
		var e Event
		if err := json.Unmarshal(line, &e); err != nil || cmp.Diff(h.Events[1], e) != "" {
			t.Errorf("encoding/json reads %s: %v", line, err)
		}
	})
}
