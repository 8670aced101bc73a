package draft

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// FromCurl drafts a file from a curl line, as it stands in a document or in a
// shell's history. read reads the files that it names with @ (os.ReadFile).
// Nothing of the line is run, and variables such as $API_TOKEN stay variables.
func FromCurl(line string, read func(name string) ([]byte, error)) (*File, error) {
	args, rest, err := words(line)
	if err != nil {
		return nil, fmt.Errorf("curl: %w", err)
	}
	if name := args[0]; name != "curl" && !strings.HasSuffix(name, "/curl") && name != "curl.exe" {
		return nil, fmt.Errorf("curl: the line begins with %q: want a curl command", name)
	}
	c := &curl{read: read}
	if rest != "" {
		c.notes = append(c.notes, rest)
	}
	if err := c.parse(args[1:]); err != nil {
		return nil, fmt.Errorf("curl: %w", err)
	}
	f, err := c.file()
	if err != nil {
		return nil, fmt.Errorf("curl: %w", err)
	}
	return f, nil
}

func (c *curl) file() (*File, error) {
	f := &File{Notes: c.notes, Head: []string{"Made from a curl line. What was guessed has a comment."}}
	path, err := c.target(f)
	if err != nil {
		return nil, err
	}
	o := Operation{Method: c.verb(), Path: path}
	if !methods.MatchString(o.Method) {
		return nil, fmt.Errorf("-X %s: want a method, such as POST", o.Method)
	}
	o.Name = nameOf(o.Method, path)
	c.payload(f, &o)
	c.plainHeaders(f, &o)
	o.identity()
	f.Operations = []Operation{o}
	return f, nil
}

var methods = regexp.MustCompile(`^[A-Z]+$`)

// verb is the method: what -X says, else what curl would send.
func (c *curl) verb() string {
	switch {
	case c.method != "":
		return c.method
	case len(c.data) > 0 && !c.get:
		return "POST"
	}
	return "GET"
}

// target splits the address into the service and the path on it.
func (c *curl) target(f *File) (path string, err error) {
	address := c.url
	if address == "" {
		return "", fmt.Errorf("the line has no address")
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if variable(address) {
		return c.templateTarget(f, address)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		return "", fmt.Errorf("%q is no address", hide(c.url))
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%s addresses are not sent to: want http or https", u.Scheme)
	}
	if u.User != nil && c.user == "" {
		c.user = u.User.String()
	}
	if f.Target = u.Scheme + "://" + u.Host; !bareTarget.MatchString(f.Target) {
		f.Target = quote(template(f.Target))
	}
	if !loopback(u.Hostname()) {
		f.Allow = u.Hostname()
	}
	return c.pathOf(template(u.EscapedPath()), template(u.RawQuery)), nil
}

// bareTarget needs no quotes.
var bareTarget = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(:[0-9]+)?$`)

// templateTarget is an address that begins with a variable: $BASE/charges.
func (c *curl) templateTarget(f *File, address string) (string, error) {
	m := regexp.MustCompile(`^(https?://[^/?#]*)([^?#]*)(?:\?([^#]*))?`).FindStringSubmatch(address)
	if strings.HasPrefix(c.url, begin) {
		m = regexp.MustCompile(`^http://(` + begin + `[A-Z0-9_]+` + end + `)([^?#]*)(?:\?([^#]*))?`).FindStringSubmatch(address)
	}
	if m == nil {
		return "", fmt.Errorf("the address %q can not be taken apart: write it out", template(c.url))
	}
	f.Target = quote(template(m[1]))
	return c.pathOf(template(m[2]), template(m[3])), nil
}

// pathOf adds to the path what -G moves there.
func (c *curl) pathOf(path, query string) string {
	if path == "" {
		path = "/"
	}
	if c.get {
		for _, d := range c.data {
			query = strings.TrimPrefix(query+"&"+template(d), "&")
		}
		c.data = nil
	}
	if query != "" {
		path += "?" + query
	}
	return strings.ReplaceAll(path, " ", "%20")
}

// hide leaves out a password.
func hide(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		return "...@" + s[at+1:]
	}
	return s
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && net.IP(ip.AsSlice()).IsLoopback()
}

// plainHeaders are the headers that the file must hold; secrets become variables.
func (c *curl) plainHeaders(f *File, o *Operation) {
	if c.user != "" {
		user := template(c.user)
		if !variable(c.user) {
			user = "${" + f.secret("BASIC_AUTH", base64.StdEncoding.EncodeToString([]byte(c.user)), "printf %s NAME:PASSWORD | base64") + "}"
		} else {
			f.Notes = append(f.Notes, "-u holds a variable: set BASIC_AUTH to  printf %s "+user+" | base64")
			user = "${" + f.secret("BASIC_AUTH", "", "printf %s NAME:PASSWORD | base64") + "}"
		}
		o.Headers = append(o.Headers, Header{"Authorization", "Basic " + user})
	}
	for _, h := range c.headers {
		name, value := h[0], h[1]
		switch {
		case isKeyHeader(name):
			if o.Key == "" {
				o.Key, o.KeyNote = "header "+name, "the line's own value is not used: each operation has a key of its own"
				continue
			}
			f.Notes = append(f.Notes, "header "+name+" was left out: the key travels in "+o.Key)
		case slices.ContainsFunc([]string{"Content-Length", "Host", "User-Agent", "Connection", "Accept-Encoding", "Transfer-Encoding", "Expect"},
			func(own string) bool { return strings.EqualFold(own, name) }):
			f.Notes = append(f.Notes, "header "+name+" was left out: idemcheck sends its own")
		case strings.EqualFold(name, "Authorization") && c.user != "":
		default:
			o.Headers = append(o.Headers, Header{name, f.hidden(name, value)})
		}
	}
}

// hidden is a header's value, or the variable that holds it if it is a secret.
func (f *File) hidden(name, value string) string {
	if !secretHeader.MatchString(name) || variable(value) {
		return template(value)
	}
	if scheme, token, ok := strings.Cut(value, " "); ok && strings.EqualFold(name, "Authorization") {
		return scheme + " ${" + f.secret("API_TOKEN", token, "header "+name) + "}"
	}
	env := envName(name)
	if env == "AUTHORIZATION" {
		env = "API_TOKEN"
	}
	return "${" + f.secret(env, value, "header "+name) + "}"
}

var pathWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// version are parts of a path that name no thing.
var version = regexp.MustCompile(`^(v\d+|api|rest)$`)

// nameOf is a name for an operation: POST /v1/charges is charge, DELETE /orders/7 is delete-order.
func nameOf(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	name := "operation"
	for part := range strings.SplitSeq(path, "/") {
		if pathWord.MatchString(part) && !version.MatchString(part) {
			name = singular(part)
		}
	}
	if method != "POST" {
		name = strings.ToLower(method) + "-" + name
	}
	return name
}

// singular is charge for charges.
func singular(s string) string {
	switch {
	case strings.HasSuffix(s, "ies") && len(s) > 4:
		return strings.TrimSuffix(s, "ies") + "y"
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") && !strings.HasSuffix(s, "us") && len(s) > 2:
		return strings.TrimSuffix(s, "s")
	}
	return s
}
