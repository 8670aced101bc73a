package traffic

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// passing are names of what belongs to an answer and not to what it tells of.
	passing = regexp.MustCompile(`(?i)request|trace|span|correlation|response|attempt|delivery|invocation|instance|hostname|^host$|^pod$|replica|server|worker|region|node|shard|nonce|csrf|xsrf|token|secret|signature|^sig$|checksum|digest|^hash$|etag|cursor|session|^query|query.?id|search|log.?id|debug|idempot|jti|^v$|version|revision`)
	// timely are names of moments and durations.
	timely = regexp.MustCompile(`(?i:^(?:at|on|ts|date|time|now|age|ttl|took|elapsed|duration|latency|expires|expiry|uptime|created|updated|modified|timestamp|seconds|millis|remaining|retry.?after|exp|iat|nbf)$|[_-](?:at|on|ts|date|time|ms|ns|us|secs?|seconds|millis|until|in)$|^(?:seen|last|next)[_-]|timestamp|duration|elapsed|latency)|[a-z](?:At|On|Date|Time|Ms|Ts|Until|Seconds|Millis|In)$`)
	// own are the places where an answer says what it tells of.
	own    = regexp.MustCompile(`^(?:/(?:data|result|payload|body|item|resource|object|response|value|attributes))?/(?i:_?id|uuid|guid|number|reference|ref|code)$`)
	idName = regexp.MustCompile(`(?i:^_?id|[_-]id|^uuid|^guid|^ref|reference|number|^no|^code)$|[a-z](?:Id|ID|No|Ref|Uuid|Number)$|(?i:[_-](?:no|ref|uuid|number))$`)

	moment   = regexp.MustCompile(`^\d{4}-\d\d-\d\d|^\d\d:\d\d|^\d{8}T\d|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, `)
	duration = regexp.MustCompile(`^[0-9.]+ ?(?:ns|us|µs|ms|s|m|h|sec|secs|seconds|ms\.)$`)
	dense    = regexp.MustCompile(`^[A-Za-z0-9_.:-]{4,}$`)
	opaque   = regexp.MustCompile(`^eyJ[A-Za-z0-9_-]+\.|^[A-Za-z0-9+/_=-]{60,}$`)

	// transient are things that are made anew for each request by intention.
	transient = regexp.MustCompile(`(?i)log[_-]?in|sign[_-]?in|logout|sessions?\b|token|oauth|auth\b|otp|nonce|challenge|captcha|csrf|presign|upload-?urls?|search|quer(?:y|ies)|lookup|quotes?\b|estimate|preview|validate|simulat|dry-?run|echo|ping|health|graphql|rpc$|introspect|recommend|report(?:s|ing)?\b|export`)
	// procedures are things that stand for the work on a request, not for its result.
	procedures = regexp.MustCompile(`(?i)operations?\b|attempts?\b|invocations?\b|executions?\b|requests?\b|deliver(?:y|ies)\b`)

	markers   = regexp.MustCompile(`(?i)idempoten.*(?:replay|hit|status|cache)|replay(?:ed)?$|duplicate|dedup|repeatability-result|already.?(?:done|processed|exists)`)
	duplicate = regexp.MustCompile(`(?i)duplicat|already|exists|processed|idempoten|repeat|in use|used before|conflict|once`)
)

// calm reports whether a value may change from answer to answer without telling
// anything, by its name and by its form.
func calm(where, first, second string) bool {
	name := last(where)
	switch {
	case passing.MatchString(name), timely.MatchString(name):
		return true
	case moment.MatchString(first) && moment.MatchString(second), duration.MatchString(first) && duration.MatchString(second):
		return true
	case opaque.MatchString(first) && opaque.MatchString(second):
		return true
	case strings.Contains(first, "://") && strings.Contains(second, "://"):
		return pathOf(first) == pathOf(second) && pathOf(first) != ""
	}
	return !idName.MatchString(name) && recent(first) && recent(second)
}

// recent reports whether a number is a moment of our days in seconds, or in
// thousandths and so on.
func recent(v string) bool {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || len(v) < 10 {
		return false
	}
	for n > 1e11 {
		n /= 1000
	}
	return n > 1.4e9 && n < float64(time.Now().Unix()+10*365*86400) && !strings.ContainsAny(v, "eE")
}

func last(where string) string { return where[strings.LastIndexByte(where, '/')+1:] }

// pathOf is the path of a URL or of a reference, without its query.
func pathOf(ref string) string {
	if _, after, ok := strings.Cut(ref, "://"); ok {
		_, after, _ = strings.Cut(after, "/")
		ref = "/" + after
	}
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	return ref
}

// identity reports whether a value is made like the name of a thing: letters and
// digits in one word, or anything at a place that is named so.
func identity(s scalar) bool {
	v := s.value
	if v == "" || v == "true" || v == "false" || v == "null" || len(v) > 200 || moment.MatchString(v) || timely.MatchString(last(s.where)) {
		return false
	}
	if idName.MatchString(last(s.where)) {
		return s.text || !strings.ContainsAny(v, ".eE-")
	}
	return s.text && dense.MatchString(v) && strings.ContainsAny(v, "0123456789") && strings.ContainsAny(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz")
}

// strong reports whether a value can hardly be that of two things by chance.
func strong(v string) bool {
	s := shapeOf([]byte(v))
	return len(v) >= 8 && s.digits > 0 && s.digits < len(v) && !s.odd
}
