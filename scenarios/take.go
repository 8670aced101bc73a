package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// takeFrom copies the values that an operation offers (take:) from its answer.
func (l *live) takeFrom(before *live) error {
	for name, place := range before.Take {
		text, number, err := before.end.value(place)
		if err != nil {
			return fmt.Errorf("take %s from the answer of %s: %w", name, before.Name, err)
		}
		l.values[name], l.numbers[name] = text, number
	}
	return nil
}

// value is what stands at a place in an answer: "header ETag", or a JSON pointer
// into its body.
func (e ending) value(place string) (text string, number bool, err error) {
	name, ok := strings.CutPrefix(place, "header ")
	if !ok {
		return at(e.body, place)
	}
	if text = e.header.Get(name); text == "" {
		return "", false, fmt.Errorf("it has no header %s", name)
	}
	return text, false, nil
}

// at is the text or number at a JSON pointer (RFC 6901).
func at(body []byte, pointer string) (text string, number bool, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", false, fmt.Errorf("it is not JSON: %.100q", body)
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescape.Replace(part)
		var ok bool
		switch t := v.(type) {
		case map[string]any:
			v, ok = t[part]
		case []any:
			i, err := strconv.Atoi(part)
			if ok = err == nil && i >= 0 && i < len(t); ok {
				v = t[i]
			}
		}
		if !ok {
			return "", false, fmt.Errorf("it has nothing at %s: %.200s", pointer, body)
		}
	}
	switch t := v.(type) {
	case string:
		return t, false, nil
	case json.Number:
		return t.String(), true, nil
	}
	return "", false, fmt.Errorf("%s is no text or number: %.200s", pointer, body)
}
