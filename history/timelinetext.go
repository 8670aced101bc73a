package history

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// detail says what an event was about.
func (v *view) detail(e *Event) string {
	switch e.Kind {
	case Invoke:
		return join(request(e), v.key(e), v.body(e), v.missing(e))
	case OK, Refused, Unknown:
		return v.answer(e)
	case Effect:
		name := clean(e.Name, 40)
		if e.Count > 0 || e.Actor == e.Name || e.Cause != "" { // an observer that counts is its own actor: it read 0
			name += " " + strconv.Itoa(e.Count)
		}
		return join(name, v.key(e), clean(e.Cause, 60))
	case Fault:
		return join(strings.TrimSpace(clean(e.Name, 40)+" "+clean(e.Attrs[AttrArg], 40)), at(e.Attrs[AttrMoment]), said(e.Hidden), clean(e.Cause, 60))
	}
	switch {
	case e.Kind == Moment:
		return moment(e)
	case kind(e) != string(e.Kind):
		return clean(e.Cause, 60)
	}
	return join(clean(e.Name, 40), clean(e.Cause, 60), attrs(e))
}

// at is where a fault struck.
func at(moment string) string {
	if moment == "" {
		return ""
	}
	return "at " + clean(moment, 60)
}

// join puts two blanks between the parts that there are, one before a remark in
// brackets.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p == "" || b.Len() == 0:
		case p[0] == '(':
			b.WriteByte(' ')
		default:
			b.WriteString("  ")
		}
		b.WriteString(p)
	}
	return b.String()
}

func request(e *Event) string {
	if line := e.Attrs[AttrRequest]; line != "" {
		return clean(line, 60)
	}
	return clean(e.Name, 40)
}

func (v *view) key(e *Event) string {
	switch {
	case e.Key != "":
		return "key " + v.keys[e.Key]
	case e.Attrs[AttrKeyless] == "dropped":
		return "key dropped"
	}
	return ""
}

// body compares what a later try sent with what the first one did.
func (v *view) body(e *Event) string {
	first := v.op.Attempts[0].Begin
	switch {
	case e == first || e.Payload == "" && first.Payload == "":
		return ""
	case e.Payload != first.Payload:
		if variant := e.Attrs[AttrVariant]; variant != "" {
			return "other body (" + clean(variant, 40) + ")"
		}
		return "other body"
	case e.Attrs[AttrRaw] != first.Attrs[AttrRaw]:
		return "re-encoded body"
	}
	return "same body"
}

func (v *view) missing(e *Event) string {
	if v.ended[e] {
		return ""
	}
	return "(its end was not seen)"
}

// answer is the status and a short part of the body.
func (v *view) answer(e *Event) string {
	hidden := ""
	if !v.told[e.Hidden] {
		hidden = said(e.Hidden)
	}
	if words := statusWords[e.Status]; words != "" {
		return join(words, hidden)
	}
	text := strings.TrimSpace(clean(e.Status, 20) + " " + short(e.Body))
	if text == "" {
		text = clean(e.Cause, 60)
	}
	return join(text, hidden)
}

// statusWords say in words how an attempt without an answer ended.
var statusWords = map[string]string{
	"reset":       "connection reset",
	"timeout":     "no answer in time",
	"cut-off":     "answer cut off",
	"garbage":     "answer not understood",
	"unreachable": "not reachable",
}

// said tells of an answer that the caller never saw.
func said(hidden string) string {
	if hidden == "" {
		return ""
	}
	status, body, _ := strings.Cut(hidden, " ")
	return "(the service had said " + strings.TrimSpace(clean(status, 20)+" "+short(body)) + ")"
}

// short is the id in an answer if it has one, else how the answer begins.
func short(body string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &object) == nil {
		for _, name := range idNames(object) {
			if id := scalar(object[name]); id != "" {
				return id
			}
		}
	}
	return clean(body, 40)
}

// idNames are the members that look like the name of what was made: id first,
// then what ends so, but for the numbers of requests.
func idNames(object map[string]json.RawMessage) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		lower := strings.ToLower(name)
		ending := strings.HasSuffix(lower, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
		passing := strings.Contains(lower, "request") || strings.Contains(lower, "trace") || strings.Contains(lower, "correlation")
		switch {
		case lower == "id":
			names = slices.Insert(names, 0, name)
		case ending && !passing:
			names = append(names, name)
		}
	}
	return names
}

// scalar is a short text or number, "" for other values.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		if _, ok := parseNumber(raw); !ok {
			return ""
		}
		text = string(raw)
	}
	if len(text) > 40 {
		return ""
	}
	return clean(text, 40)
}

// attrs lists the attributes of a mark.
func attrs(e *Event) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(e.Attrs)) {
		list = append(list, clean(name, 20)+"="+clean(e.Attrs[name], 40))
	}
	return strings.Join(list, " ")
}

// shortKeys cuts long keys to their beginning, as long as it tells them apart.
func shortKeys(events []*Event) map[string]string {
	const least, most = 4, 12
	keys := map[string]string{}
	for _, e := range events {
		keys[e.Key] = clean(e.Key, 60)
	}
	for n := least; n <= most; n++ {
		seen := map[string]bool{}
		for _, key := range keys {
			seen[clean(key, n)] = true
		}
		if len(seen) < len(keys) {
			continue
		}
		for key, shown := range keys {
			if len([]rune(shown)) > most {
				keys[key] = clean(shown, n)
			}
		}
		break
	}
	return keys
}

// clean makes text from outside fit for one line of a terminal: at most n
// characters, none that moves the cursor or hides.
func clean(s string, n int) string {
	var b strings.Builder
	for _, r := range s {
		if n == 0 {
			b.WriteString("…")
			break
		}
		n--
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune('\uFFFD')
		}
	}
	return b.String()
}
