package observe

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// Series names samples of a metric: all that have these labels, whatever others
// they have.
type Series struct {
	Name   string
	Labels map[string]string
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// ParseSeries reads  replays_total  or  emails_sent_total{kind="receipt"}.
func ParseSeries(text string) (Series, error) {
	const want = `want a name, perhaps with labels: emails_sent_total{kind="receipt"}`
	name, rest, labelled := strings.Cut(strings.TrimSpace(text), "{")
	s := Series{Name: strings.TrimSpace(name), Labels: map[string]string{}}
	if !metricName.MatchString(s.Name) {
		return s, fmt.Errorf("%q is no name of a metric; %s", s.Name, want)
	}
	if !labelled {
		return s, nil
	}
	for {
		rest = strings.TrimLeft(rest, " ,")
		if rest == "}" {
			return s, nil
		}
		label, value, ok := strings.Cut(rest, "=")
		value = strings.TrimLeft(value, " ")
		quoted, err := strconv.QuotedPrefix(value)
		if label = strings.TrimSpace(label); !ok || err != nil || quoted[0] != '"' || !labelName.MatchString(label) {
			return s, fmt.Errorf("%q: %s", text, want)
		}
		if _, twice := s.Labels[label]; twice {
			return s, fmt.Errorf("%q: label %s is there twice", text, label)
		}
		s.Labels[label], _ = strconv.Unquote(quoted)
		rest = strings.TrimLeft(value[len(quoted):], " ")
		if !strings.HasPrefix(rest, ",") && rest != "}" {
			return s, fmt.Errorf("%q: %s", text, want)
		}
	}
}

func (s Series) matches(m *dto.Metric) bool {
	for name, value := range s.Labels {
		if !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == name && l.GetValue() == value }) {
			return false
		}
	}
	return true
}
