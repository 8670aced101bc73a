package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// count reads the number of effects in an answer, and the version that it shows.
func count(res *http.Response, body []byte, pointer, version string) (n int, shown string, err error) {
	v, err := value(res, body)
	if err != nil || v == nil {
		return 0, "", err
	}
	found, err := find(v, pointer)
	if err != nil {
		return 0, "", err
	}
	where := "the answer"
	if pointer != "" {
		where = "the answer at " + pointer
	}
	if n, err = size(found, where); err != nil || version == "" {
		return n, "", err
	}
	found, _ = find(v, version) // a pointer, as the file was checked
	switch found := found.(type) {
	case string:
		return n, found, nil
	case json.Number:
		return n, found.String(), nil
	case nil:
		return n, "", nil
	}
	return n, "", fmt.Errorf("the answer at %s is no version: want a text or a number", version)
}

// value is the JSON of an answer; nil where it says that there is nothing.
func value(res *http.Response, body []byte) (any, error) {
	switch {
	case res.StatusCode == http.StatusNotFound:
		return nil, nil
	case res.StatusCode/100 == 3:
		return nil, fmt.Errorf("redirects to %q (%d), which is not followed: name that URL", res.Header.Get("Location"), res.StatusCode)
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("answered %d: the observer may need headers: {Authorization: ...}", res.StatusCode)
	case res.StatusCode/100 != 2:
		return nil, fmt.Errorf("answered %d: %s", res.StatusCode, excerpt(body))
	case len(body) > maxBody:
		return nil, fmt.Errorf("answer of more than %d MiB", maxBody>>20)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	}
	v, err := decode(body)
	if err != nil {
		return nil, fmt.Errorf("answer is not JSON (%w): %s", err, excerpt(body))
	}
	return v, nil
}

func decode(body []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// find follows a JSON pointer (RFC 6901); what is not there is nil.
func find(v any, pointer string) (any, error) {
	if pointer == "" {
		return v, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("count %q is no JSON pointer: it begins with /, as in /data", pointer)
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch x := v.(type) {
		case map[string]any:
			v = x[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(x) {
				return nil, nil
			}
			v = x[i]
		default:
			return nil, nil
		}
	}
	return v, nil
}

// size is how many effects a value stands for. An object is refused rather than
// counted as one: it would stay one if the effect happened twice.
func size(v any, where string) (int, error) {
	switch x := v.(type) {
	case nil:
		return 0, nil
	case []any:
		return len(x), nil
	case json.Number:
		return asCountIn(x.String(), where)
	case map[string]any:
		return 0, fmt.Errorf("%s is an object, want an array or a number: point count at one, as in count: /data", where)
	}
	return 0, fmt.Errorf("%s is %v, want an array or a number", where, v)
}

func asCountIn(number, where string) (int, error) {
	n, err := asCount(number)
	if err != nil {
		return 0, fmt.Errorf("%s is %s, want a whole number that is not negative", where, number)
	}
	return n, nil
}

// excerpt is the beginning of a body for an error.
func excerpt(body []byte) string {
	const limit = 120
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), limit)]), "?")), " ")
	if len(body) > limit {
		s += "..."
	}
	return strconv.Quote(s)
}
