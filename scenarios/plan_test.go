package scenarios

import (
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	for _, p := range Catalogue() {
		if p.Title == "" || p.Story == "" || len(p.Rules) == 0 {
			t.Errorf("%s: a scenario has a title, a story and rules", p.Name)
		}
		if last := p.Steps[len(p.Steps)-1]; last.Do != doSettle {
			t.Errorf("%s: a scenario ends with settle, so that a lost effect shows", p.Name)
		}
		if found, ok := Lookup(p.Name); !ok || found.Title != p.Title {
			t.Errorf("%s is not found by its name", p.Name)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"name: x":                                                                          `"steps" is missing`,
		"name: x\nsteps: [{send: A}]":                                                      `role "A"`,
		"name: x\nsteps: [{sent: a}]":                                                      `unknown field "sent" (did you mean "send"?)`,
		"name: x\nsteps: [{send: a, fault: lose-answr}]":                                   `unknown fault "lose-answr"`,
		"name: x\nsteps: [{send: a, fault: {delay: 5}}]":                                   "delay",
		"name: x\nsteps: [{together: [{send: a}]}]":                                        "two sends or more",
		"name: x\nsteps: [{send: a}]\nrules: [at-most]":                                    `unknown rule "at-most"`,
		"name: x\nstep: []":                                                                `unknown field "step" (did you mean "steps"?)`,
		"name: x\nsteps: [{arm: provider, fault: hold}]":                                   `"op" is missing`,
		"name: x\nsteps: [{settle: everything}]":                                           `role "everything"`,
		"name: x\nsteps: [{send: a}]\nrules: [same-answer]":                                "no step delivers an operation twice",
		"name: x\nsteps: [{send: a}, {send: a}]\nrules: [overlap-answer]":                  "no step sends copies together",
		"name: x\nsteps: [{send: a}, {send: a}]\nrules: [changed-payload-refused]":         "no step changes a payload",
		"name: x\nsteps: [{send: a, fault: hold}]":                                         "hold is no fault of a request here",
		"name: x\nsteps: [{send: a, fault: repeat}]":                                       "repeat is no fault of a request here",
		"name: x\nsteps: [{arm: card, op: a, fault: hold}]":                                "arm needs provider",
		"name: x\nsteps: [{arm: link/, op: a, fault: cut, moment: commit}]":                "arm needs provider",
		"name: x\nsteps: [{arm: link, op: a, fault: cut}]":                                 `"moment" is missing`,
		"name: x\nsteps: [{arm: link, op: a, fault: kill-after, moment: commit}]":          "kill-after is no fault of a link here; legal: cut, lose-reply, refuse, hold",
		"name: x\nsteps: [{arm: worker, op: a, fault: cut, moment: commit}]":               "cut is no fault of a worker here; legal: kill-before, kill-after, pause",
		"name: x\nsteps: [{arm: worker, op: a, fault: pause, moment: commit, nth: 2}]":     "commit is one moment of an operation",
		"name: x\nsteps: [{arm: worker, op: a, fault: pause, moment: db COMMIT, nth: 0}]":  "from 1",
		"name: x\nsteps: [{arm: worker, op: a, fault: pause, moment: db COMMIT, call: 1}]": "write  moment: commit, nth: 1",
		"name: x\nsteps: [{arm: provider, op: a, fault: hold, moment: db COMMIT}]":         "write  call: 1",
		"name: x\nsteps: [{kill: api}]":                                                    "kill needs worker (each that there is) or worker/NAME",
		"name: x\nsteps: [{restart: link}]":                                                "restart needs worker",
		"name: x\nsteps: [{down: worker}]":                                                 "down needs link",
		"name: x\nsteps: [{up: link/db, op: a}]":                                           `unknown field "op"`,
		"name: x\nsteps: []":                                                               "at least one step",
	} {
		_, err := Parse("plan.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "plan.yaml:") {
			t.Errorf("%q:\n%v\nwant plan.yaml: and %s", text, err, want)
		}
	}
}

func TestCasesSaysWhatWouldEnable(t *testing.T) {
	sys := (&shop{}).system()
	sys.Scopes = nil
	want := map[string]string{
		"other-scope/order":         "add   scopes:",
		"first-attempt-fails/order": "add   effects:",
		"plain/order":               "",
	}
	seen := map[string]bool{}
	for _, c := range Cases(sys, Catalogue(), nil) {
		seen[c.Name] = true
		if w, ok := want[c.Name]; ok && (w == "") != (c.Skip == "") || !strings.Contains(c.Skip, w) {
			t.Errorf("%s is skipped because %q, want %q", c.Name, c.Skip, w)
		}
	}
	if seen["same-body-two-ids/order"] {
		t.Error("a body with an id in it cannot be equal for two ids: no case")
	}
	if !seen["plain/order"] || len(Cases(sys, Catalogue(), []string{"refund"})) > 0 {
		t.Error("cases of operations that were not asked for")
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range Catalogue() {
		f.Add([]byte(p.Source))
	}
	f.Add([]byte("name: x\nsteps: [{send: a@2/amount, fault: {delay: 50ms}}, {arm: provider/card, op: a, fault: hold}]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse("plan.yaml", b)
		if err == nil && (p.Name == "" || len(p.Steps) == 0) {
			t.Errorf("accepted without a name or steps: %q", b)
		}
	})
}
