package template

import "strings"

// Env expands the upper-case names of a text and leaves the rest as it is, so
// that Parse can read the result. lookup is os.LookupEnv; an unset variable is
// an *Error naming it. A ${ inside a value is escaped: the environment can not
// bring in expressions. used, if not nil, is told each name with its value.
func Env(s string, lookup func(string) (string, bool), used func(name, value string)) (string, error) {
	pieces, err := split(s)
	if err != nil {
		return "", err
	}
	for i, p := range pieces {
		name := strings.TrimSpace(p.text)
		if !p.isExpr || !isEnv(name) {
			continue
		}
		value, ok := lookup(name)
		if !ok {
			return "", fail(p.at, "the environment variable %s is not set", name)
		}
		if used != nil {
			used(name, value)
		}
		pieces[i] = piece{text: value, at: p.at}
	}
	return join(merge(pieces)), nil
}
