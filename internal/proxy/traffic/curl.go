package traffic

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const longCurlBody = 1500

var (
	secretName = regexp.MustCompile(`(?i)auth|cookie|token|secret|password|passwd|api-?key|credential|signature|session`)
	uuidForm   = regexp.MustCompile(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	variable   = regexp.MustCompile(`[^A-Z0-9]+`)
)

// notSent are headers that curl makes itself, or that belong to one exchange.
var notSent = append([]string{"content-length", "user-agent", "traceparent", "tracestate", "via", "forwarded", "date", "x-request-id", "amz-sdk-request",
	"amz-sdk-invocation-id", "dnt", "accept", "accept-language", "origin", "referer", "priority", "pragma", "cache-control"}, ofTheRequest...)

// curl is the lines for a shell that send a request twice, as the fault did, under
// a new key. What is secret is a variable.
func (l *Learner) curl(r *Repeat) string {
	var b strings.Builder
	if r.Key != "" {
		key := "again-$(date +%s)"
		if uuidForm.MatchString(r.Key) {
			key = "$(uuidgen)"
		}
		fmt.Fprintf(&b, "KEY=%s\n", key)
	}
	first := l.once(r, true)
	second := first
	if r.OtherKey {
		second = l.once(r, false)
	}
	if strings.Contains(first, "@body") {
		b.WriteString("# body: that of the example; the history of the run has it\n")
	}
	if strings.Contains(first, "<hmac:") {
		b.WriteString("# <hmac:...> stands for a secret that is not kept\n")
	}
	switch {
	case r.Overlapped:
		fmt.Fprintf(&b, "for i in 1 2; do\n%s &\ndone; wait", first)
	case strings.HasPrefix(r.Fault, "late"):
		fmt.Fprintf(&b, "%s\nsleep %s\n%s", first, seconds(r.Fault), second)
	case r.OtherKey:
		fmt.Fprintf(&b, "%s\n%s", first, second)
	default:
		fmt.Fprintf(&b, "for i in 1 2; do\n%s\ndone", first)
	}
	if r.Reencoded {
		b.WriteString("\n# the second with the same JSON in another order")
	}
	return b.String()
}

var late = regexp.MustCompile(`(\d+)(ms|s|m|h)?`)

// seconds is how long a late copy was, for sleep.
func seconds(fault string) string {
	m := late.FindStringSubmatch(fault)
	if m == nil || m[2] == "ms" {
		return "1"
	}
	return m[1] + strings.TrimPrefix(m[2], "s")
}

// once is one line that sends the request.
func (l *Learner) once(r *Repeat, keyed bool) string {
	parts := []string{"curl -sS -i"}
	if r.Method != http.MethodPost || len(r.Body) == 0 {
		parts = append(parts, "-X "+r.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if part := l.field(r, name, keyed); part != "" && len(parts) < 24 {
			parts = append(parts, "-H "+part)
		}
	}
	if strings.EqualFold(r.Header.Get("Transfer-Encoding"), "chunked") {
		parts = append(parts, "-H 'Transfer-Encoding: chunked'")
	}
	if len(r.Body) > 0 {
		if r.Header.Get("Content-Type") == "" {
			parts = append(parts, "-H 'Content-Type:'")
		}
		parts = append(parts, l.data(r))
	}
	base, option := l.base()
	if option != "" {
		parts = append(parts, option)
	}
	target := strings.TrimSuffix(base, "/") + cut(l.target(r.Target), 2000)
	return strings.Join(append(parts, quote(target)), " ")
}

// base is the URL of the service for curl, and the option that it takes.
func (l *Learner) base() (url, option string) {
	to := l.options.Target
	if after, ok := strings.CutPrefix(to, "h2c://"); ok {
		return "http://" + after, "--http2-prior-knowledge"
	}
	if after, ok := strings.CutPrefix(to, "unix:"); ok {
		return "http://localhost", "--unix-socket " + quote(after)
	}
	if strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") {
		return to, ""
	}
	return l.options.Listen, ""
}

// field is one header, quoted; "" if it is not sent.
func (l *Learner) field(r *Repeat, name string, keyed bool) string {
	value := r.Header.Get(name)
	lower := strings.ToLower(name)
	isKey := l.by[lower] == key || r.Key != "" && (value == r.Key || value == `"`+r.Key+`"`)
	switch {
	case slices.Contains(notSent, lower), strings.HasPrefix(lower, "x-forwarded-"), strings.HasPrefix(lower, "x-envoy-"), strings.HasPrefix(lower, "x-b3-"),
		strings.HasPrefix(lower, "sec-"), strings.HasPrefix(lower, ":"):
		return ""
	case isKey && !keyed:
		return ""
	case isKey && strings.HasPrefix(value, `"`):
		return quote(name+`: "`) + `"$KEY"` + quote(`"`)
	case isKey:
		return quote(name+": ") + `"$KEY"`
	case secretName.MatchString(name) || l.options.Redact.Secret(name):
		scheme, _, ok := strings.Cut(value, " ")
		if !ok || lower != "authorization" {
			return quote(name+": ") + `"$` + strings.Trim(variable.ReplaceAllString(strings.ToUpper(name), "_"), "_") + `"`
		}
		return quote(name+": "+scheme+" ") + `"$TOKEN"`
	}
	return quote(name + ": " + l.album.value(name, value))
}

// data is the body, from a file where it is long or no plain text.
func (l *Learner) data(r *Repeat) string {
	text := ""
	if !r.BodyCut && len(r.Body) <= longCurlBody && utf8.Valid(r.Body) {
		text = l.album.clean(r.Body)
	}
	strange := strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\n' && c != '\t' })
	if text == "" || strange {
		return "--data-binary @body"
	}
	return "--data-raw " + quote(text)
}

// quote makes one word of a text for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
