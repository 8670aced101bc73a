package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestClassify(t *testing.T) {
	for status, want := range map[string]Class{
		"200": OK, "201": OK, "204": OK, "303": OK,
		"400": Refused, "402": Refused, "409": Refused, "422": Refused, "429": Refused, "unreachable": Refused,
		"408": Unknown, "425": Unknown, "499": Unknown, "500": Unknown, "503": Unknown, "100": Unknown, "999": Unknown,
		"reset": Unknown, "timeout": Unknown, "cut-off": Unknown, "garbage": Unknown,
	} {
		got, err := Contract{}.Classify(status)
		if err != nil || got != want {
			t.Errorf("Classify(%q) = %v, %v, want %v", status, got, err, want)
		}
	}
	for status, text := range map[string]string{
		"302": "answers 302: put the final URL in", "304": "put the final URL in",
		"": "neither an HTTP status", "okk": `"okk"`, "20": "neither", "1000": "neither", "-5": "neither",
	} {
		if got, err := (Contract{}).Classify(status); err == nil || got != Unknown || !strings.Contains(err.Error(), text) {
			t.Errorf("Classify(%q) = %v, %v, want an error with %q", status, got, err, text)
		}
	}
}

func TestSixteenAxes(t *testing.T) {
	if len(Axes) != 16 {
		t.Fatalf("%d axes", len(Axes))
	}
	var c Contract
	seen := map[*Field]bool{}
	typ := reflect.TypeFor[Contract]()
	for _, a := range Axes {
		seen[a.Field(&c)] = true
		if !strings.Contains(fmt.Sprint(jsonNames(typ)), a.Name) {
			t.Errorf("axis %s is no JSON name of Contract", a.Name)
		}
	}
	if len(seen) != 16 {
		t.Errorf("the axes share fields: %d different ones", len(seen))
	}
}

func jsonNames(typ reflect.Type) (names []string) {
	for i := range typ.NumField() {
		names = append(names, strings.Split(typ.Field(i).Tag.Get("json"), ",")[0])
	}
	return names
}

func TestCatalogue(t *testing.T) {
	for _, c := range Catalogue {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		for _, a := range Axes {
			if f := a.Field(&c); len(f.Values) > 0 && (f.Source == "" || f.Confidence == Stated) {
				t.Errorf("%s: %s has no source, or is stated by nobody", c.Name, a.Name)
			}
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back Contract
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s does not survive JSON: %v\n%s", c.Name, err, b)
		}
		if got, ok := Lookup(c.Name); !ok || !reflect.DeepEqual(got, c) {
			t.Errorf("Lookup(%q) = %v, %v", c.Name, got, ok)
		}
	}
	for _, c := range Catalogue[1:] {
		if len(c.Carrier.Values) == 0 || len(c.Kind.Values) == 0 || c.Doc == "" || c.Life > 0 && c.LifeFrom.Source == "" {
			t.Errorf("%s: carrier, kind, doc and the source of its life must be there", c.Name)
		}
	}
	if m, _ := Lookup("mollie"); m.Life == 0 || m.JudgedLife() != 0 || m.Set("life", "5m") != nil || m.JudgedLife() != 5*time.Minute {
		t.Error("mollie: a life that is known second-hand is not judged, a stated one is")
	}
	if _, ok := Lookup("strip"); ok {
		t.Error("a wrong name was found")
	}
	s, _ := Lookup("stripe")
	if s.Mismatch.Judged() || !s.Replay.Judged() || s.Outage.Judged() || !s.Replay.Has("verbatim") {
		t.Error("stripe: second-hand and silent fields must not be judged, primary ones must")
	}
	ietf, _ := Lookup("ietf")
	if ietf.Quoted() || !(Contract{Syntax: Field{Values: []string{"quoted"}}}).Quoted() {
		t.Error("keys are quoted only where bare ones are not accepted")
	}
}

func TestSet(t *testing.T) {
	var c Contract
	if !c.IsZero() {
		t.Error("the zero contract is not zero")
	}
	for name, values := range map[string][]string{
		"carrier": {"header Idempotency-Key"}, "life": {"24h"}, "claim": {"2s"}, "mismatch": {"422"},
		"in_flight": {"409", "wait"}, "stored": {"2xx", "4xx"}, "marker": {"Idempotent-Replayed: true"}, "syntax": {"uuid", "max=64"},
	} {
		if err := c.Set(name, values...); err != nil {
			t.Error(err)
		}
	}
	if c.Life != 24*time.Hour || c.Claim != 2*time.Second || !c.InFlight.Has("wait") || !c.Mismatch.Judged() || c.IsZero() {
		t.Errorf("%+v", c)
	}
	for _, bad := range []struct{ name, value, text string }{
		{"life", "1 day", `contract.life: "1 day" is not a duration above zero, such as 24h or 30s`},
		{"claim", "-1s", "above zero"},
		{"replay", "verbatm", "verbatim, remapped (200 for 201), current, conflict, accepted, none"},
		{"marker", "201->", "201->200 (the status"}, {"syntax", "min=0", "min=N"}, {"after_life", "old", "new (runs as new), reject, a status"},
		{"mismatch", "42", "a status, reject (any refusal), replay, execute"},
		{"carrier", "header", "header NAME, body /path"},
		{"reply", "x", "no such axis: life, claim, carrier"},
		{"stored", "3xx", "2xx, 4xx, 5xx, all"},
	} {
		if err := c.Set(bad.name, bad.value); err == nil || !strings.Contains(err.Error(), bad.text) {
			t.Errorf("Set(%s, %s): %v, want %q", bad.name, bad.value, err, bad.text)
		}
	}
}

func TestValidate(t *testing.T) {
	for text, c := range map[string]Contract{
		"durations are above zero":         {Life: -1},
		"contract.scope: \"tenant\"":       {Scope: Field{Values: []string{"tenant"}, Confidence: Stated}},
		"contract.scope: confidence \"\"":  {Scope: Field{Values: []string{"key"}}},
		"stated, primary, second-hand, un": {Kind: Field{Values: []string{"replay"}, Confidence: "sure"}},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}

func ExampleContract_Set() {
	c, _ := Lookup("ietf")
	fmt.Println(c.Set("in_flight", "409", "wait"))
	fmt.Println(c.Set("in_flight", "later"))
	// Output:
	// <nil>
	// contract.in_flight: "later" is not legal here: statuses, reject (any refusal), wait
}
