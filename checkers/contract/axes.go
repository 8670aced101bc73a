package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Axis is one of the sixteen questions that a contract answers.
type Axis struct {
	Name  string                   // as in YAML and JSON: "in_flight"
	Doc   string                   // the question
	Legal string                   // its legal values, for people
	Field func(c *Contract) *Field // where a contract keeps its answer
	form  *regexp.Regexp           // what one value must look like
}

func form(s string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + s + `)$`) }

const aStatus = `[1-5][0-9][0-9]`

// Axes are the sixteen axes in the order of documents.
var Axes = []Axis{
	{"carrier", "where does the key travel?", "header NAME, body /path, query NAME, graphql, message NAME, derived, none",
		func(c *Contract) *Field { return &c.Carrier }, form("header [!#$%&'*+.^_`|~0-9A-Za-z-]+|body /.*|query [^ ]+|graphql|message .+|derived|none")},
	{"syntax", "what may a key look like?", "bare, quoted, uuid, min=N, max=N, a status (the answer to another key)",
		func(c *Contract) *Field { return &c.Syntax }, form(`bare|quoted|uuid|(?:min|max)=[1-9][0-9]*|` + aStatus)},
	{"missing", "what happens without a key?", "run, reject, a status",
		func(c *Contract) *Field { return &c.Missing }, form(`run|reject|` + aStatus)},
	{"scope", "what makes two keys the same?", "account, client (its credential), endpoint, region, key (the key alone tells operations apart)",
		func(c *Contract) *Field { return &c.Scope }, form(`account|client|endpoint|region|key`)},
	{"after_life", "what does an expired key do?", "new (runs as new), reject, a status",
		func(c *Contract) *Field { return &c.AfterLife }, form(`new|reject|` + aStatus)},
	{"replay", "how is a repeat answered?", "verbatim, remapped (200 for 201), current, conflict, accepted, none",
		func(c *Contract) *Field { return &c.Replay }, form(`verbatim|remapped|current|conflict|accepted|none`)},
	{"marker", "how is a replay marked?", `a header, "Name: value", 201->200 (the status of the first and of the repeat), or none`,
		func(c *Contract) *Field { return &c.Marker }, form(`none|` + aStatus + `->` + aStatus + `|[!#$%&'*+.^_|~0-9A-Za-z-]+(: ?.*)?`)},
	{"mismatch", "how is a changed payload under a used key answered?", "a status, reject (any refusal), replay, execute",
		func(c *Contract) *Field { return &c.Mismatch }, form(`reject|replay|execute|` + aStatus)},
	{"fingerprint", "what of the payload is compared?", "raw, canonical, fields (some of them), /amount (these), key (nothing of it)",
		func(c *Contract) *Field { return &c.Fingerprint }, form(`raw|canonical|fields|key|/.*`)},
	{"in_flight", "how is a repeat answered while the first still runs?", "statuses, reject (any refusal), wait",
		func(c *Contract) *Field { return &c.InFlight }, form(`wait|reject|` + aStatus)},
	{"stored", "which outcomes are kept?", "2xx, 4xx, 5xx, all",
		func(c *Contract) *Field { return &c.Stored }, form(`2xx|4xx|5xx|all`)},
	{"replay_5xx", "what does a repeat do after a 5xx?", "same, execute, resume",
		func(c *Contract) *Field { return &c.Replay5xx }, form(`same|execute|resume`)},
	{"errors", "what do errors look like?", "problem+json, describedby (a Link to its description), graphql (200 with errors in it), or a text that they hold",
		func(c *Contract) *Field { return &c.Errors }, form(`.+`)},
	{"outage", "what if the key store is down?", "closed, open",
		func(c *Contract) *Field { return &c.Outage }, form(`closed|open`)},
	{"signals", "which headers steer retries?", "header names, such as Retry-After",
		func(c *Contract) *Field { return &c.Signals }, form("[!#$%&'*+.^_`|~0-9A-Za-z-]+")},
	{"kind", "what kind of guarantee is it?", "replay, window, unique, receiver",
		func(c *Contract) *Field { return &c.Kind }, form(`replay|window|unique|receiver`)},
}

// check tells whether v is a legal value of the axis.
func (a Axis) check(v string) error {
	if !a.form.MatchString(v) {
		return fmt.Errorf("contract.%s: %q is not legal here: %s", a.Name, v, a.Legal)
	}
	return nil
}

// Set states an axis, or the durations life and claim, in the user's words:
// the field is then judged. The error names the legal values or axes.
func (c *Contract) Set(name string, values ...string) error {
	switch name {
	case "life":
		c.LifeFrom = Field{}
		return setDuration(&c.Life, name, values)
	case "claim":
		return setDuration(&c.Claim, name, values)
	}
	i := slices.IndexFunc(Axes, func(a Axis) bool { return a.Name == name })
	if i < 0 {
		return fmt.Errorf("contract.%s: no such axis: life, claim, %s", name, strings.Join(axisNames(), ", "))
	}
	for _, v := range values {
		if err := Axes[i].check(v); err != nil {
			return err
		}
	}
	*Axes[i].Field(c) = State(values...)
	return nil
}

func setDuration(to *time.Duration, name string, values []string) error {
	if len(values) != 1 {
		return fmt.Errorf("contract.%s: %d values: one duration is wanted, such as 24h or 30s", name, len(values))
	}
	d, err := time.ParseDuration(values[0])
	if err != nil || d <= 0 {
		return fmt.Errorf("contract.%s: %q is not a duration above zero, such as 24h or 30s", name, values[0])
	}
	*to = d
	return nil
}

func axisNames() []string {
	var names []string
	for _, a := range Axes {
		names = append(names, a.Name)
	}
	return names
}

// Validate checks every value against the legal ones of its axis.
func (c Contract) Validate() error {
	if err := checkLife(c); err != nil {
		return err
	}
	if c.Life < 0 || c.Claim < 0 {
		return fmt.Errorf("contract %s: life %v, claim %v: durations are above zero, such as 24h or 30s", c.Name, c.Life, c.Claim)
	}
	for _, a := range Axes {
		f := a.Field(&c)
		for _, v := range f.Values {
			if err := a.check(v); err != nil {
				return err
			}
		}
		if err := checkConfidence(a.Name, *f); err != nil {
			return err
		}
	}
	return nil
}

func checkLife(c Contract) error {
	for _, v := range c.LifeFrom.Values {
		if v != "exactly" && v != "at least" {
			return fmt.Errorf("contract %s: life_from: %q is not legal here: exactly, at least", c.Name, v)
		}
	}
	return checkConfidence("life_from", c.LifeFrom)
}

func checkConfidence(name string, f Field) error {
	switch f.Confidence {
	case Stated, Primary, SecondHand, Unverified:
		return nil
	case "":
		if len(f.Values) == 0 {
			return nil
		}
		return fmt.Errorf("contract.%s: confidence \"\" of %q is none, and it would not be judged: in Go, make it by contract.State", name, f.Values)
	}
	return fmt.Errorf("contract.%s: confidence %q is not legal here: stated, primary, second-hand, unverified", name, f.Confidence)
}
