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

const (
	longBody    = 16 << 10 // that stands in a line
	longTarget  = 8 << 10
	fewestOfKey = 6 // characters, below which it is not looked for in bodies
)

var (
	secretName = regexp.MustCompile(`(?i)auth|cookie|token|secret|password|passwd|api-?key|credential|signature|session`)
	uuidForm   = regexp.MustCompile(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	variable   = regexp.MustCompile(`[^A-Z0-9]+`)
)

// notSent are headers that curl makes itself, or that belong to one exchange.
var notSent = append([]string{"content-length", "user-agent", "traceparent", "tracestate", "via", "forwarded", "date", "x-request-id", "amz-sdk-request",
	"amz-sdk-invocation-id", "dnt", "accept", "accept-language", "origin", "referer", "priority", "pragma", "cache-control"}, ofTheRequest...)

// curling makes the lines of one example.
type curling struct {
	*Learner
	r         *Repeat
	most      int // bytes of a body that stand in a line
	variables []string
	secret    map[string]string // the variable of each
	keyed     bool              // a header carries the key
	file      bool              // the body is in a file
}

// curl is the lines for a shell that send a request twice, as the fault did, under
// a new key. What is secret is a variable; most is how long a body may be.
func (l *Learner) curl(r *Repeat, most int) string {
	c := &curling{Learner: l, r: r, most: most, secret: map[string]string{}}
	for name := range r.Header {
		c.keyed = c.keyed || c.isKey(name)
	}
	first := c.once(true)
	second := first
	if r.OtherKey {
		second = c.once(false)
	}
	var b strings.Builder
	c.before(&b)
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

// before is what must be there: the key, the secrets, the body.
func (c *curling) before(b *strings.Builder) {
	if c.r.Key != "" {
		key := "again-$(date +%s)"
		if uuidForm.MatchString(c.r.Key) {
			key = "$(uuidgen)"
		}
		fmt.Fprintf(b, "KEY=%s\n", key)
	}
	if len(c.variables) > 0 {
		fmt.Fprintf(b, "# set %s: secrets are not kept\n", strings.Join(c.variables, ", "))
	}
	switch {
	case !c.file:
	case c.r.Recorded == "" || c.r.BodyCut:
		b.WriteString("# the body is too long to be kept: put one like it into a file named body\n")
	default:
		fmt.Fprintf(b, "# the body (%s) has no place in a line: put it into a file named body. It stands, without its secrets, in the first line that\n# grep -h %s %s\n# prints\n",
			plural(int64(len(c.r.Body)), "byte"), quote(`"op":"`+c.r.Recorded+`"`), quote(c.options.History)+"/history-*.jsonl")
	}
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
func (c *curling) once(keyed bool) string {
	r := c.r
	parts := []string{"curl -sS -i"}
	if r.Method != http.MethodPost || len(r.Body) == 0 {
		parts = append(parts, "-X "+r.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if part := c.field(name, keyed); part != "" && len(parts) < 24 {
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
		parts = append(parts, c.data())
	}
	base, option := c.base()
	if option != "" {
		parts = append(parts, option)
	}
	return strings.Join(append(parts, c.word(strings.TrimSuffix(base, "/")+cut(c.target(r.Target), longTarget), "SECRET")), " ")
}

// base is the URL of the service for curl, and the option that it takes.
func (c *curling) base() (url, option string) {
	to := c.options.Target
	grpc := isGRPC(c.r.Header)
	if grpc {
		option = "--http2-prior-knowledge"
	}
	if after, ok := strings.CutPrefix(to, "h2c://"); ok {
		return "http://" + after, "--http2-prior-knowledge"
	}
	if after, ok := strings.CutPrefix(to, "unix:"); ok {
		return "http://localhost", strings.TrimSpace(option + " --unix-socket " + quote(strings.TrimPrefix(after, "//")))
	}
	if strings.HasPrefix(to, "https://") && grpc {
		option = "--http2"
	}
	if strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") {
		return to, option
	}
	return c.options.Listen, option
}

// isKey reports whether a header carries the key.
func (c *curling) isKey(name string) bool {
	value := c.r.Header.Get(name)
	return c.by[strings.ToLower(name)] == key || c.r.Key != "" && (value == c.r.Key || value == `"`+c.r.Key+`"`)
}

// field is one header, quoted; "" if it is not sent.
func (c *curling) field(name string, keyed bool) string {
	value := c.r.Header.Get(name)
	lower := strings.ToLower(name)
	isKey := c.isKey(name)
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
	case secretName.MatchString(name) || c.options.Redact.Secret(name):
		scheme, _, ok := strings.Cut(value, " ")
		if !ok || lower != "authorization" {
			return quote(name+": ") + `"$` + c.named(name, name) + `"`
		}
		return quote(name+": "+scheme+" ") + `"$` + c.named("TOKEN", name) + `"`
	}
	return c.word(name+": "+c.album.whole(name, value), name)
}

// data is the body, from a file where it is long or no plain text.
func (c *curling) data() string {
	text := ""
	if !c.r.BodyCut && len(c.r.Body) <= c.most && utf8.Valid(c.r.Body) {
		text = c.album.clean(c.r.Body)
	}
	strange := strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\n' && c != '\t' })
	if c.file = text == "" || strange; c.file {
		return "--data-binary @body"
	}
	return "--data-raw " + c.word(text, "SECRET")
}

// hidden is what stands for a secret, after the name of its field if it has one.
var hidden = regexp.MustCompile(`(?:"([^"\\']{1,60})":\s*"?|([A-Za-z0-9_.-]{1,60})=)?(<hmac:[0-9a-f]+>)`)

// word makes one word of a text for a shell, with variables for its secrets and
// for the key, if no header carries that.
func (c *curling) word(text, name string) string {
	text = quote(text)
	var b strings.Builder
	at := 0
	for _, m := range hidden.FindAllStringSubmatchIndex(text, -1) {
		field := name
		for _, g := range []int{2, 4} {
			if m[g] >= 0 {
				field = text[m[g]:m[g+1]]
			}
		}
		b.WriteString(c.renewed(text[at:m[6]]) + `'"$` + c.named(field, text[m[6]:m[7]]) + `"'`)
		at = m[7]
	}
	return b.String() + c.renewed(text[at:])
}

// renewed has the new key instead of that of the example, if no header carries it.
func (c *curling) renewed(quoted string) string {
	if c.keyed || len(c.r.Key) < fewestOfKey || strings.Contains(c.r.Key, "'") {
		return quoted
	}
	return strings.ReplaceAll(quoted, c.r.Key, `'"$KEY"'`)
}

// named is the variable of a secret.
func (c *curling) named(name, secret string) string {
	if v := c.secret[secret]; v != "" {
		return v
	}
	name = strings.Trim(variable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if slices.Contains(taken, name) || name == "" || name[0] <= '9' {
		name = strings.Trim("SECRET_"+name, "_")
	}
	v := name
	for n := 2; slices.Contains(c.variables, v); n++ {
		v = fmt.Sprintf("%s_%d", name, n)
	}
	c.secret[secret], c.variables = v, append(c.variables, v)
	return v
}

// taken are variables that mean something to the shell, to curl or to the lines.
var taken = []string{"KEY", "PATH", "HOME", "IFS", "PWD", "ENV", "USER", "UID", "SHELL", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSLKEYLOGFILE", "CURL_HOME"}

// quote makes one word of a text for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
