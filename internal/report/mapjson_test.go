package report

import (
	"strings"
	"testing"
)

// A map that was written is read back as it was, and shown as before.
func TestMapsAreReadBack(t *testing.T) {
	for name, r := range mapped() {
		text := print(t, WriteMaps, r)
		if name == "map-broken" {
			golden(t, name+".map.json", text)
		}
		read, err := ReadMaps(strings.NewReader(text), r.History.Header.Run)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := print(t, Text, r)
		r.Maps = read
		if after := print(t, Text, r); after != before {
			t.Errorf("%s: read back it looks as\n%s\nand before\n%s", name, after, before)
		}
		if again := print(t, WriteMaps, r); again != text {
			t.Errorf("%s: written again it is another one", name)
		}
	}
}

// What no map can be is refused, with what is wrong.
func TestReadMapsIsStrict(t *testing.T) {
	good := print(t, WriteMaps, mapped()["map-broken"])
	for _, c := range []struct{ old, with, want string }{
		{`"version": 1`, `"version": 2`, "map.json: version 2; this idemcheck reads version 1"},
		{`"run": "r7k2m9"`, `"run": "other"`, `map.json: it is of run "other", the history beside it of run "r7k2m9"`},
		{`"worker"`, `"werker"`, `map.json: json: unknown field "werker"`},
		{`"number": 2`, `"number": 7`, `map.json: map 1 (charge): moment "card POST /v1/charges" has the number 7, its place is 2`},
		{`"moment": 1`, `"moment": 5`, `map.json: map 1 (charge): cell "1 cut": there is no moment 5 of 4`},
		{`"column": "cut"`, `"column": "cat"`, `map.json: map 1 (charge): cell "1 cut": unknown column "cat"`},
		{`"window": "1 cut"`, `"window": "1 out"`, `map.json: map 1 (charge): cell "1 out": it is "1 cut" by its moment and column`},
		{`"window": "1 cut"`, `"window": "1 held"`, `map.json: map 1 (charge): cell "1 held" is there twice`},
		{`"state": "run"`, `"state": "ran"`, `map.json: map 1 (charge): cell "1 cut": unknown state "ran"`},
		{`"case": "map/charge/1 cut"`, `"case": ""`, `map.json: map 1 (charge): cell "1 cut": state "run" with the case ""`},
		{`"verdict": "pass"`, `"verdict": "perhaps"`, `map.json: map 1 (charge): cell "1 cut": unknown verdict "perhaps"`},
		{`"equal": "2 kill before"`, `"equal": "9 cut"`, `map.json: map 1 (charge): cell "1 kill after": equal to "9 cut", which is not there`},
	} {
		text := strings.Replace(good, c.old, c.with, 1)
		if text == good {
			t.Fatalf("%s is not there", c.old)
		}
		if _, err := ReadMaps(strings.NewReader(text), "r7k2m9"); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.with, err, c.want)
		}
	}
	if _, err := ReadMaps(strings.NewReader(good+good), "r7k2m9"); err == nil {
		t.Error("two documents were read as one")
	}
}

// Judged again with another result, a window shows that one.
func TestMapFollowsItsCases(t *testing.T) {
	r := mapped()["map-sound"]
	words := print(t, Text, r)
	broken := mapped()["map-broken"].Report.Cases
	for _, c := range broken {
		if c.Name == "map/charge/2 lose reply" {
			for i := range r.Report.Cases {
				if r.Report.Cases[i].Name == c.Name {
					r.Report.Cases[i] = c
				}
			}
		}
	}
	again := print(t, Text, r)
	if words == again || !strings.Contains(again, "2  card POST /v1/charges   pass   pass          FAIL") {
		t.Errorf("the map does not follow its cases:\n%s", again)
	}
	if r.charts()[0].sums().Failed != 1 {
		t.Error("the sums do not follow")
	}
}

func FuzzReadMaps(f *testing.F) {
	for _, r := range mapped() {
		var b strings.Builder
		if err := WriteMaps(&b, r); err != nil {
			f.Fatal(err)
		}
		f.Add(b.String())
	}
	f.Add(`{"version":1,"run":"r7k2m9","maps":[{"cells":[{"window":"1 cut","moment":1,"column":"cut","state":"equal","equal":"1 cut"}],"moments":[{"number":1}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		maps, err := ReadMaps(strings.NewReader(text), "r7k2m9")
		if err != nil {
			return
		}
		r := Run{Maps: maps, Dir: "d"}
		print(t, Text, r)
		print(t, Markdown, r)
		print(t, HTML, r)
	})
}
