package history

import (
	"slices"
	"strconv"
)

// appendEvent writes e as JSON: the fields in the order of the struct, empty
// ones left out, attributes sorted. It is what encoding/json would write, but
// for the escapes that only browsers need.
func appendEvent(dst []byte, e *Event) []byte {
	dst = strconv.AppendInt(append(dst, `{"seq":`...), e.Seq, 10)
	dst = strconv.AppendInt(append(dst, `,"at":`...), e.At, 10)
	dst = appendQuoted(append(dst, `,"kind":`...), string(e.Kind))
	dst = appendText(dst, `,"case":`, e.Case)
	dst = appendText(dst, `,"op":`, e.Op)
	dst = appendText(dst, `,"name":`, e.Name)
	dst = appendText(dst, `,"scope":`, e.Scope)
	dst = appendText(dst, `,"key":`, e.Key)
	dst = appendCount(dst, `,"attempt":`, e.Attempt)
	dst = appendText(dst, `,"actor":`, e.Actor)
	dst = appendText(dst, `,"status":`, e.Status)
	dst = appendText(dst, `,"payload":`, e.Payload)
	dst = appendText(dst, `,"answer":`, e.Answer)
	dst = appendText(dst, `,"body":`, e.Body)
	dst = appendText(dst, `,"hidden":`, e.Hidden)
	dst = appendCount(dst, `,"count":`, e.Count)
	dst = appendText(dst, `,"cause":`, e.Cause)
	return append(appendAttrs(dst, e.Attrs), '}')
}

func appendText(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendQuoted(append(dst, name...), value)
}

func appendCount(dst []byte, name string, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), int64(n), 10)
}

func appendAttrs(dst []byte, attrs map[string]string) []byte {
	if len(attrs) == 0 {
		return dst
	}
	keys := make([]string, 0, 8)
	for k := range attrs {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, `,"attrs":`...)
	sep := byte('{')
	for _, k := range keys {
		dst = append(appendQuoted(append(dst, sep), k), ':')
		dst = appendQuoted(dst, attrs[k])
		sep = ','
	}
	return append(dst, '}')
}
