package checkers

import (
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// kept are the headers that a verbatim replay repeats, where the first answer
// had them.
var kept = []string{history.AttrHeader + "location", history.AttrHeader + "content-type", history.AttrHeader + "etag"}

// keeps reports whether a repeat that was accepted is answered in one of the
// ways of contract.replay.
func keeps(r *repeat, how string, tell []string) bool {
	a, b := r.first.End, r.again.End
	switch how {
	case "verbatim":
		return a.Status == b.Status && sameBody(a, b) && sameHeaders(a, b)
	case "remapped":
		return (a.Status == b.Status || a.Status == "201" && b.Status == "200") && sameBody(a, b) && sameLocation(a, b)
	case "current":
		return sameBody(a, b) && sameLocation(a, b) || showsSome(r.again.End, tell) && !differ(r.first, r.again, tell)
	case "accepted", "none":
		return true
	}
	return false
}

func sameBody(a, b *history.Event) bool {
	return a.Answer == b.Answer || raw(a) != "" && raw(a) == raw(b)
}

func sameHeaders(a, b *history.Event) bool {
	for _, h := range kept {
		if v, ok := a.Attrs[h]; ok && b.Attrs[h] != v {
			return false
		}
	}
	return true
}

// sameLocation reports that two answers do not point at two resources.
func sameLocation(a, b *history.Event) bool {
	const location = history.AttrHeader + "location"
	x, y := a.Attrs[location], b.Attrs[location]
	return x == "" || y == "" || x == y
}

// showsSome reports whether an answer has one of the telling fields at least: what it
// leaves out agrees with nothing.
func showsSome(end *history.Event, tell []string) bool {
	_, found := pick(end.Body, tell)
	return found > 0
}

// pointElsewhere reports whether two answers, of which no field names the operation,
// point at two resources. What follows the path may differ.
func pointElsewhere(a, b *history.Event) bool {
	const location = history.AttrHeader + "location"
	x, _, _ := strings.Cut(a.Attrs[location], "?")
	y, _, _ := strings.Cut(b.Attrs[location], "?")
	return x != "" && y != "" && x != y
}

// differ reports whether two answers show different telling values.
func differ(a, b *history.Attempt, tell []string) bool {
	if len(tell) == 0 || a.End.Answer == b.End.Answer && a.End.Answer != "" {
		return false
	}
	va, _ := pick(a.End.Body, tell)
	vb, _ := pick(b.End.Body, tell)
	for i := range va {
		if va[i] != "" && vb[i] != "" && va[i] != vb[i] {
			return true
		}
	}
	return false
}

// tellsSame reports whether both answers show the same identity.
func tellsSame(a, b *history.Attempt, tell []string) bool {
	_, na := pick(a.End.Body, tell)
	_, nb := pick(b.End.Body, tell)
	return na > 0 && nb > 0 && !differ(a, b, tell)
}

// shown is an answer in short: "201 ch_1".
func shown(a *history.Attempt, tell []string) string {
	values, found := pick(a.End.Body, tell)
	if found == 0 {
		return a.End.Status
	}
	text := a.End.Status
	for _, v := range values {
		if v != "" {
			text += " " + v
		}
	}
	return strings.TrimSpace(text)
}
