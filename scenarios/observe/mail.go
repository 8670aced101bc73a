package observe

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
)

// MailPlace is where a mail holds the id of an operation.
type MailPlace struct {
	text   string
	header string // "" means the body
	find   *regexp.Regexp
}

// ParseMailPlace reads  header X-Order , subject /order (\S+)/  or  body /.../ :
// what the expression's first group matches is the id, without a group all of it.
func ParseMailPlace(text string) (MailPlace, error) {
	const want = `want  header NAME,  subject /regular expression/  or  body /regular expression/`
	kind, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	p := MailPlace{text: text}
	switch kind {
	case "header":
		name, pattern, _ := strings.Cut(rest, " ")
		if p.header = name; name == "" || strings.Contains(name, ":") {
			return p, errors.New(want)
		}
		if rest = strings.TrimSpace(pattern); rest == "" {
			return p, nil
		}
	case "subject":
		p.header = "Subject"
	case "body":
	default:
		return p, errors.New(want)
	}
	if len(rest) < 3 || rest[0] != '/' || rest[len(rest)-1] != '/' {
		return p, errors.New(want)
	}
	var err error
	if p.find, err = regexp.Compile(rest[1 : len(rest)-1]); err != nil {
		return p, err
	}
	return p, nil
}

// in finds the id in a mail.
func (p MailPlace) in(raw []byte) (string, error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return "", fmt.Errorf("it is no mail: %w", err)
	}
	text := ""
	if p.header == "" {
		text = bodyOf(m.Header, m.Body, 0)
	} else {
		text = decoded(m.Header.Get(p.header))
	}
	id := strings.TrimSpace(text)
	if p.find != nil {
		id = ""
		if found := p.find.FindStringSubmatch(text); found != nil {
			id = strings.TrimSpace(found[min(1, len(found)-1)])
		}
	}
	if id == "" {
		return "", fmt.Errorf("it holds no id at %s", p.text)
	}
	return id, nil
}

// decoded is a header without encoded words (RFC 2047).
func decoded(header string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(header)
	if err != nil {
		return header // of a character set that we do not know
	}
	return text
}

// headers are those of a mail or of one of its parts.
type headers interface{ Get(name string) string }

// maxParts is how deeply the parts of a mail may be nested.
const maxParts = 5

// bodyOf is the text of a mail: its text parts, decoded, one after the other.
func bodyOf(h headers, body io.Reader, depth int) string {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	switch {
	case strings.HasPrefix(kind, "multipart/") && depth < maxParts:
		return parts(multipart.NewReader(body, params["boundary"]), depth)
	case !strings.HasPrefix(kind, "text/"):
		return ""
	}
	switch strings.ToLower(h.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, _ := io.ReadAll(body) // as far as it can be read
	return string(text)
}

func parts(r *multipart.Reader, depth int) string {
	var b strings.Builder
	for {
		part, err := r.NextRawPart()
		if err != nil {
			return b.String()
		}
		b.WriteString(bodyOf(part.Header, part, depth+1))
		b.WriteByte('\n')
	}
}
