package scenarios

import (
	"fmt"
)

// form is the key or id that an Alike makes of a text: the first form of one's
// own, the second of another's.
func (a Alike) form(own string, of func(role string) (string, error)) (string, error) {
	from, second := own, a.Of != ""
	if second {
		var err error
		if from, err = of(a.Of); err != nil {
			return "", err
		}
	}
	if a.How == "" {
		return from, nil
	}
	one, two, ok := alikePair(from, a.How)
	switch {
	case !ok:
		return "", fmt.Errorf("nothing looks like %q by %s", from, a.How)
	case second:
		return two, nil
	}
	return one, nil
}
