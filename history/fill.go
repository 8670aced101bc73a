package history

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"
	"unicode/utf8"
)

// hasher makes keyed hashes under a random key that never leaves it. It is not
// safe for use by several goroutines.
type hasher struct {
	mac hash.Hash
	sum [sha256.Size]byte
}

func newHasher() *hasher {
	var key [32]byte
	rand.Read(key[:]) // never fails
	return &hasher{mac: hmac.New(sha256.New, key[:])}
}

// text is the first n bytes of the hash in hex.
func (h *hasher) text(b []byte, n int) string {
	h.mac.Reset()
	h.mac.Write(b)
	h.mac.Sum(h.sum[:0])
	var out [2 * sha256.Size]byte
	hex.Encode(out[:], h.sum[:n])
	return string(out[:2*n])
}

// fingerprint is long enough that no two bodies of one run meet by chance.
func (h *hasher) fingerprint(b []byte) string { return h.text(b, 8) }

// secret is what stands for a secret value.
func (h *hasher) secret(value string) string { return "<hmac:" + h.text([]byte(value), 4) + ">" }

// maxLimit is the most of a body that can be kept.
const maxLimit = 16 << 20

// filler completes an event: fingerprints from the true bytes, then the
// redacted body and texts.
type filler struct {
	hash     *hasher
	redactor Redactor
	censor   *censor
	limit    int
	canon    canonizer
}

func newFiller(r Redactor) filler {
	h := newHasher()
	f := filler{hash: h, redactor: r, censor: newCensor(r, h), limit: min(r.Limit, maxLimit)}
	if f.limit <= 0 {
		f.limit = 1 << 20
	}
	return f
}

func (f *filler) fill(e *Event, body []byte) {
	if len(body) > 0 {
		f.body(e, body)
	} else if e.Body != "" {
		f.keep(e, f.censor.text(valid(e.Body), false, 0))
	}
	for k, v := range e.Attrs {
		if k != AttrRaw {
			f.attr(e, k, v)
		}
	}
	if len(e.Attrs) == 0 {
		e.Attrs = nil
	}
	if e.Hidden != "" {
		e.Hidden, _ = cut(f.censor.text(valid(e.Hidden), false, 0), f.limit)
	}
	if e.Cause != "" {
		e.Cause, _ = cut(f.censor.text(valid(e.Cause), false, 0), f.limit)
	}
	for _, s := range []*string{(*string)(&e.Kind), &e.Case, &e.Op, &e.Name, &e.Scope, &e.Key, &e.Actor, &e.Status} {
		*s = valid(*s)
	}
}

func (f *filler) body(e *Event, body []byte) {
	canonical, isJSON := f.canon.canonical(body)
	if e.Kind.ends() {
		e.Answer = f.hash.fingerprint(canonical)
	} else {
		e.Payload = f.hash.fingerprint(canonical)
	}
	if e.Attrs == nil {
		e.Attrs = make(map[string]string, 1)
	}
	e.Attrs[AttrRaw] = f.hash.fingerprint(body)
	f.keep(e, f.censor.text(string(body), isJSON, 0))
	if len(body) > f.limit {
		f.canon = canonizer{} // one large body does not hold memory for ever
	}
}

// keep sets Body to at most limit bytes of text, or their base64.
func (f *filler) keep(e *Event, text string) {
	text, whole := cut(text, f.limit)
	if !whole {
		if e.Attrs == nil {
			e.Attrs = make(map[string]string, 1)
		}
		e.Attrs[AttrCut] = "true"
	}
	if !utf8.ValidString(text) {
		text = "base64:" + base64.StdEncoding.EncodeToString([]byte(text))
	}
	e.Body = text
}

func (f *filler) attr(e *Event, key, value string) {
	redacted := valid(value)
	name, isHeader := strings.CutPrefix(key, AttrHeader)
	switch {
	case value == "":
	case isHeader && f.redactor.Secret(name):
		redacted = f.hash.secret(value)
	default:
		redacted = f.censor.text(redacted, false, 0)
	}
	if good := valid(key); good != key {
		delete(e.Attrs, key)
		key = good
	} else if redacted == value {
		return
	}
	e.Attrs[key] = redacted
}

// cut shortens s to at most n bytes without splitting a character of UTF-8.
func cut(s string, n int) (short string, whole bool) {
	if len(s) <= n {
		return s, true
	}
	for back := 0; back < utf8.UTFMax && n-back > 0; back++ {
		if utf8.RuneStart(s[n-back]) {
			return s[:n-back], false
		}
	}
	return s[:n], false
}

// valid makes s what a reader of the file will see.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
