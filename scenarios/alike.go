package scenarios

import "fmt"

// likenesses are the ways in which two keys or ids may look alike.
var likenesses = []string{"case", "blank", "nfc", "zero", "plus", "prefix-64", "prefix-128", "prefix-190", "prefix-255"}

// visible says whether a likeness lies in characters that only bodies and query
// strings carry unchanged.
func visible(how string) bool { return how != "blank" && how != "nfc" }

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
	one, two, ok := alike(from, a.How)
	switch {
	case !ok:
		return "", fmt.Errorf("nothing looks like %q by %s", from, a.How)
	case second:
		return two, nil
	}
	return one, nil
}

// alike is a pair of texts that look alike.
func alike(s, how string) (one, two string, ok bool) { return "", "", false }
