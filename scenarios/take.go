package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// takeInto copies the values that an operation offers (take:) from its answer.
func (l *live) takeInto(values map[string]string) error {
	for name, pointer := range l.Take {
		v, err := at(l.end.body, pointer)
		if err != nil {
			return fmt.Errorf("take %s from the answer of %s: %w", name, l.Name, err)
		}
		values[name] = v
	}
	return nil
}

// at is the scalar at a JSON pointer (RFC 6901), as text.
func at(body []byte, pointer string) (string, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("it is not JSON: %.100q", body)
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
			return "", fmt.Errorf("it has nothing at %s: %.200s", pointer, body)
		}
	}
	switch t := v.(type) {
	case string:
		return t, nil
	case json.Number:
		return t.String(), nil
	}
	return "", fmt.Errorf("%s is no text or number: %.200s", pointer, body)
}
