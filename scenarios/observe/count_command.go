package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Command counts effects by a command of the user's, which has 10 s. It reads
// {"ids": [...], "keys": [...], "run": "..."} from its standard input and writes
// a line {"id": "...", "n": 1} for each id that has effects; also legal are key
// instead of id, scope and version. Without n a line is one effect.
type Command struct {
	Argv []string // program and arguments; there is no shell
	By   string   // what its lines report: id or key
}

// Check tells whether the program is there.
func (c Command) Check(context.Context) error { return runnable(c.Argv) }

// Read implements Observer.
func (c Command) Read(ctx context.Context, q Query) ([]Count, error) {
	out, err := command(ctx, c.Argv, question(q))
	if err != nil {
		return nil, err
	}
	counts, err := lines(out, c.By)
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", c.Argv[0], err)
	}
	return counts, nil
}

// line is what a command says of one id or key.
type line struct {
	ID      *name `json:"id"`
	Key     *name `json:"key"`
	Scope   name  `json:"scope"`
	Version name  `json:"version"`
	N       *int  `json:"n"`
}

// name is a text, or a number as it is written.
type name string

// UnmarshalJSON implements json.Unmarshaler.
func (n *name) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte{'"'}) {
		return json.Unmarshal(b, (*string)(n))
	}
	var number json.Number
	if err := json.Unmarshal(b, &number); err != nil || number == "" {
		return fmt.Errorf("%s is neither a text nor a number", b)
	}
	*n = name(number)
	return nil
}

// lines adds up what a command wrote.
func lines(out []byte, by string) ([]Count, error) {
	t := newTally()
	at := 0
	for text := range bytes.Lines(out) {
		at++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		c, err := oneLine(text, by)
		if err == nil {
			err = t.add(c)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of its output: %w: %s", at, err, excerpt(text))
		}
	}
	return t.counts(), nil
}

func oneLine(text []byte, by string) (Count, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var l line
	if err := d.Decode(&l); err != nil {
		return Count{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return Count{}, errors.New("more than one value")
	}
	c := Count{N: 1, Scope: string(l.Scope), Version: string(l.Version)}
	switch {
	case by == "id" && l.ID != nil && l.Key == nil:
		c.ID = string(*l.ID)
	case by == "key" && l.Key != nil && l.ID == nil:
		c.Key = string(*l.Key)
	default:
		return Count{}, fmt.Errorf("want an object that names the %s it counts for, and no other (by: says which)", by)
	}
	if l.N != nil {
		c.N = *l.N
	}
	if c.N < 0 || c.N > maxCount {
		return Count{}, fmt.Errorf("n is %d, want a number from 0 to a billion", c.N)
	}
	return c, nil
}

// maxCount keeps sums in range.
const maxCount = 1_000_000_000
