package scenarios

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/idemcheck/idemcheck/inject"
)

func TestLanguageErrors(t *testing.T) {
	for text, want := range map[string]string{
		"steps: [{send: a#0}]":                                                         `role "a#0"`,
		"steps: [{send: a, value: huge}]":                                              `unknown word "huge"`,
		"steps: [{send: a, operation: others}]":                                        `did you mean "other"?`,
		"steps: [{send: a, replica: 0}]":                                               "from 1 to 9",
		"steps: [{send: a, key: {alike: cases}}]":                                      `did you mean "case"?`,
		"steps: [{send: a, key: {of: b}}]":                                             `"alike" is missing`,
		"steps: [{send: a, key: b/changed}]":                                           "is a variant: name the operation, b",
		"steps: [{send: a, value: one}, {retry: a, value: zero}]":                      "something else of what a is",
		"steps: [{together: [{send: a, value: one}, {send: a, value: zero}]}]":         "something else of what a is",
		"steps: [{start: a}, {settle: all}]":                                           "put  {join: all}  before",
		"steps: [{join: a}]":                                                           "write  {join: all}",
		"steps: [{wait: 5}]":                                                           `"5" is no length of time`,
		"steps: [{wait: 0 claim}]":                                                     `"0 claim" is no length of time`,
		"steps: [{wait: 1 day}]":                                                       `"1 day" is no length of time`,
		"steps: [{age: a}]":                                                            `"by" is missing`,
		"steps: [{fill: 0}]":                                                           "from 1 to 2000",
		"steps: [{fill: 99999}]":                                                       "from 1 to 2000",
		"steps: [{shuffle: [{send: a}]}]":                                              "two to 4 sends",
		"steps: [{together: [{send: a}, {send: a, fault: lose-answer}]}]":              "can not be carried by copies",
		"steps: [{together: [{send: a}, {send: a}], unit: life}]":                      "legal here: handler, claim",
		"steps: [{shuffle: [{send: a}, {send: b}]}, {shuffle: [{send: a},{send: b}]}]": "only one step may have offsets or shuffle",
		"steps: [{send: a, fault: {cut-client: 1.5 claim}}]":                           "cut-client",
		"steps: [{arm: provider, op: a, fault: {slow: 1.5 day}}]":                      "slow",
		"needs: [keys]\nsteps: [{send: a}]":                                            `did you mean "key"?`,
		"sweep: {n: [1]}\nsteps: [{send: a}]":                                          "no step says $n",
		"steps: [{fill: $n}]":                                                          "$n is not swept",
		"sweep: {n: []}\nsteps: [{fill: $n}]":                                          "at least one value",
		"sweep: {n: each}\nsteps: [{fill: $n}]":                                        "want a list of values",
		"sweep: {n: [1, 1]}\nsteps: [{fill: $n}]":                                      "1 is there twice",
		"sweep: {n: [1, x]}\nsteps: [{fill: $n}]":                                      "must be a whole number",
		"sweep: {rules: [1]}\nsteps: [{fill: $rules}]":                                 "can not be swept",
		"sweep: {n: ['a,b']}\nsteps: [{send: a, body: $n}]":                            "no comma",
		"sweep: {f: [lose-answer, lose-anser]}\nsteps: [{send: a, fault: $f}]":         `unknown fault "lose-anser"`,
	} {
		_, err := Parse("plan.yaml", []byte("name: x\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "plan.yaml:") {
			t.Errorf("%q:\n%v\nwant plan.yaml: and %s", text, err, want)
		}
	}
}

const swept = `name: x
# what is swept
sweep:
  others: [1, 10]
  at: [0.5]
story: two cases
steps:
- {arm: provider, fault: {slow: $at claim}, op: a}
- {send: a}
- {fill: $others}
`

func TestSweep(t *testing.T) {
	p, err := Parse("plan.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	sys := (&shop{}).system()
	sys.Providers = map[string]*inject.Provider{"orders": {}}
	sys.Contract.Claim = time.Second
	cases := Cases(sys, []Plan{p}, nil)
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if want := []string{"x/order/others=1,at=0.5", "x/order/others=10,at=0.5"}; !slices.Equal(names, want) {
		t.Fatalf("cases %q, want %q", names, want)
	}
	last := cases[1].Plan
	if last.fills() != 10 || last.Steps[0].Fault != (inject.Fault{Name: "slow", Arg: "0.5 claim"}) {
		t.Errorf("the values are not in the steps: %+v", last.Steps)
	}
	only := p.Only("order", "others=10,at=0.5")
	again, err := Parse("again.yaml", []byte(only))
	if err != nil {
		t.Fatalf("%v\n%s", err, only)
	}
	if c := Cases(sys, []Plan{again}, nil); len(c) != 1 || c[0].Name != "x/order/others=10,at=0.5" {
		t.Errorf("the plan of one case makes %+v:\n%s", c, only)
	}
}

func TestEachField(t *testing.T) {
	p, err := Parse("plan.yaml", []byte("name: x\nsweep: {field: each}\nsteps: [{send: a}, {send: a/$field}]"))
	if err != nil {
		t.Fatal(err)
	}
	sys := (&shop{}).system()
	if c := allCases(sys, []Plan{p}, nil); len(c) != 1 || c[0].Senseless == "" {
		t.Errorf("an operation without fields of its own: %+v", c)
	}
	sys.Operations[0].Fields = []string{"/amount", "/note/0"}
	c := Cases(sys, []Plan{p}, nil)
	if len(c) != 2 || c[1].Name != "x/order/field=/note/0" || c[1].Plan.Steps[1].Role != "a//note/0" {
		t.Errorf("cases %+v", c)
	}
}

func TestOrders(t *testing.T) {
	all := orders(3)
	seen := map[string]bool{}
	for _, o := range all {
		seen[string([]byte{byte('0' + o[0]), byte('0' + o[1]), byte('0' + o[2])})] = true
	}
	if len(all) != 6 || len(seen) != 6 {
		t.Errorf("orders of three: %v", all)
	}
}

// Every line that would enable a plan names itself, and enables it.
func TestLinesThatEnable(t *testing.T) {
	for text, test := range map[string]struct {
		want   string
		enable func(*System)
	}{
		"{send: a#2}":                         {"versions: [{state: 1}, {state: 2}]", func(s *System) { s.Operations[0].Versions = 2 }},
		"{send: a, entry: other}":             {"entry_of: order", func(s *System) { s.Operations = append(s.Operations, Operation{Name: "hook", EntryOf: "order"}) }},
		"{send: a, replica: 2}":               {"target: [shop, http://127.0.0.1:8081]", func(s *System) { s.Replicas = 2 }},
		"{reconcile: a}":                      {"find: ", func(s *System) { s.Operations[0].Find = true }},
		"{wait: 1 claim}":                     {"contract: {claim: 2s}", func(s *System) { s.Contract.Claim = time.Second }},
		"{age: a, by: 1.1 life}":              {"contract: {life: 24h}", func(s *System) { s.Contract.Life = time.Second }},
		"{send: a@2}":                         {"scopes:", func(s *System) { s.Scopes = []string{"a", "b"} }},
		"{wait: 11s}":                         {"at most", nil},
		"{arm: provider, op: a, fault: hold}": {"effects:", nil},
	} {
		p, err := Parse("plan.yaml", []byte("name: x\nsteps: ["+text+"]"))
		if err != nil {
			t.Fatal(err)
		}
		sys := (&shop{}).system()
		sys.Scopes = nil
		if why := Cases(sys, []Plan{p}, nil)[0].Skip; !strings.Contains(why, test.want) {
			t.Errorf("%s is skipped because %q, want %q", text, why, test.want)
		} else if _, line := Enable(why); strings.Contains(line, "...") || yaml.Unmarshal([]byte(line), &map[string]any{}) != nil {
			t.Errorf("%s: nobody can copy %q", text, line)
		}
		if test.enable == nil {
			continue
		}
		test.enable(&sys)
		if c := Cases(sys, []Plan{p}, nil)[0]; c.Skip != "" {
			t.Errorf("%s is still skipped: %s", text, c.Skip)
		}
	}
}

// A long claim or life is never waited for; ageing makes up for a life.
func TestPatience(t *testing.T) {
	for text, long := range map[string]string{"{wait: 1.1 claim}": "a claim of 30s is too long", "{age: a, by: 1.1 life}": "26h24m0s is too long"} {
		p, err := Parse("plan.yaml", []byte("name: x\nsteps: ["+text+"]"))
		if err != nil {
			t.Fatal(err)
		}
		sys := (&shop{}).system()
		sys.Contract.Claim, sys.Contract.Life = 30*time.Second, 24*time.Hour
		if why := Cases(sys, []Plan{p}, nil)[0].Skip; !strings.Contains(why, long) {
			t.Errorf("%s: %q", text, why)
		}
		sys.Age, sys.AgeBy = nobody{}, 25*time.Hour
		if why := Cases(sys, []Plan{p}, nil)[0].Skip; strings.Contains(text, "age") && !strings.Contains(why, "older by 25h0m0s") {
			t.Errorf("%s by a fixed 25h: %q", text, why)
		}
		sys.AgeBy = 27 * time.Hour
		if why := Cases(sys, []Plan{p}, nil)[0].Skip; strings.Contains(text, "age") && why != "" {
			t.Errorf("%s by a fixed 27h: %q", text, why)
		}
	}
}
