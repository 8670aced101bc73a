package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// The part of SARIF 2.1.0 (OASIS) that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Default sarifConf `json:"defaultConfiguration"`
	}
	sarifConf struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		Index        int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Logical  []sarifName   `json:"logicalLocations"`
	}
	sarifName struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifPhysical struct {
		Artifact sarifURI    `json:"artifactLocation"`
		Region   sarifRegion `json:"region"`
	}
	sarifURI struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
)

// notJudged is the rule under which SARIF files what no rule could judge.
const notJudged = "not-judged"

// SARIF writes a run for code scanning: a result for each rule that a case
// broke (error; suppressed where that is accepted), and one for each
// inconclusive case (warning), at the line of its operation in the
// configuration. The fingerprint names scenario, operation and rule, of a window
// its moment and column, and no id of a run, so that a finding is the same one the next day.
func SARIF(w io.Writer, r Run) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"idemcheck", strings.TrimPrefix(r.History.Header.Tool, "idemcheck/"), "https://github.com/idemcheck/idemcheck", nil}},
		Automation:  sarifID{"idemcheck/" + r.History.Header.Run},
		Invocations: []sarifInvocation{{len(r.Report.Problems) == 0}},
		Results:     []sarifResult{},
	}
	for _, c := range r.Report.Cases {
		switch r.state(c) {
		case failing, tolerated:
			run.failure(r, c)
		case undecided:
			run.rule(notJudged, "a case could not be judged in full", "warning")
			run.add(r, c, notJudged, "warning", r.unjudged(c))
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// failure adds a result for each rule that a case broke.
func (s *sarifRun) failure(r Run, c checkers.Case) {
	var rules []string
	for _, v := range failed(c) {
		if slices.Contains(rules, v.Rule) {
			continue
		}
		rules = append(rules, v.Rule)
		doc := v.Rule
		if known, ok := checkers.Lookup(v.Rule); ok {
			doc = known.Doc
		}
		s.rule(v.Rule, doc, "error")
		text := v.Reason
		for _, more := range [][2]string{{" Likely cause: ", v.Cause}, {" Usual cure: ", v.Cure}} {
			if more[1] != "" {
				text += more[0] + more[1]
			}
		}
		s.add(r, c, v.Rule, "error", text)
		if r.state(c) == tolerated {
			s.Results[len(s.Results)-1].Suppressions = []sarifSuppression{{"external", clean(why(r.accepted(c)))}}
		}
	}
}

// rule adds a rule that is not there yet.
func (s *sarifRun) rule(id, doc, level string) {
	if s.index(id) < 0 {
		s.Tool.Driver.Rules = append(s.Tool.Driver.Rules, sarifRule{clean(id), sarifText{clean(doc)}, sarifConf{level}})
	}
}

func (s *sarifRun) index(id string) int {
	return slices.IndexFunc(s.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == clean(id) })
}

func (s *sarifRun) add(r Run, c checkers.Case, rule, level, text string) {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.lasting(c), rule}, "\x00")))
	s.Results = append(s.Results, sarifResult{
		Rule: clean(rule), Index: s.index(rule), Level: level, Message: sarifText{r.label(c) + ": " + clean(text)},
		Locations: []sarifLocation{{
			sarifPhysical{sarifURI{r.file()}, sarifRegion{r.line(c)}}, []sarifName{{clean(c.Name)}},
		}},
		Fingerprints: map[string]string{"idemcheck/v1": hex.EncodeToString(sum[:16])},
	})
}

// lasting is the name of a case; of a window with its moment in the place of the
// moment's number, which another moment before it would change.
func (r Run) lasting(c checkers.Case) string {
	m, w, ok := r.window(c.Name)
	if !ok || r.moment(c) == "" {
		return c.Name
	}
	return strings.Join([]string{c.Scenario, c.Operation, m.Moments[w.Moment].Name, w.Column}, "/")
}

// file is the configuration as a URI below the working directory.
func (r Run) file() string {
	if r.File == "" {
		return "idemcheck.yaml"
	}
	return pathURI(r.File)
}

// line is that of a case's operation; 1 where it is not known.
func (r Run) line(c checkers.Case) int { return max(1, r.Lines[c.Operation]) }
