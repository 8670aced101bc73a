package draft

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// header is "Name: value"; curl also knows "Name:" (leave it out) and "Name;" (empty).
func (c *curl) header(v string) error {
	if strings.HasPrefix(v, "@") {
		return fmt.Errorf("headers from a file are not read: write them out")
	}
	name, value, ok := strings.Cut(v, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case !ok && strings.HasSuffix(name, ";"):
		name = strings.TrimSuffix(name, ";")
	case !ok || name == "":
		return fmt.Errorf("want Name: value, got %q", v)
	case value == "":
		return nil
	}
	c.headers = slices.DeleteFunc(c.headers, func(h [2]string) bool { return strings.EqualFold(h[0], name) })
	c.headers = append(c.headers, [2]string{name, value})
	return nil
}

func (c *curl) cookie(v string) error {
	if !strings.Contains(v, "=") {
		return errors.New("cookies from a file are not read: write them out, as -b session=... does it")
	}
	return c.header("Cookie: " + v)
}

func (c *curl) address(v string) error {
	if c.url != "" {
		return fmt.Errorf("one address is wanted, the line has %q and %q", c.url, v)
	}
	c.url = v
	return nil
}

// maxBody is how much of a body from a file is read.
const maxBody = 128 << 10

// body is a piece of data; @FILE is read, and without its line ends for -d.
func (c *curl) body(v string, file, strip bool) error {
	if name, ok := strings.CutPrefix(v, "@"); ok && file {
		if name == "-" || variable(name) {
			return fmt.Errorf("@%s: give the name of a file", name)
		}
		b, err := c.read(name)
		if err != nil {
			return err
		}
		if len(b) > maxBody {
			return fmt.Errorf("%s has %d bytes: at most %d are read", name, len(b), maxBody)
		}
		if v = string(b); strings.ContainsAny(v, begin+end) {
			return fmt.Errorf("%s is no text", name)
		}
		if strip {
			v = strings.NewReplacer("\r", "", "\n", "").Replace(v)
		}
	}
	if len(v) > maxBody {
		return fmt.Errorf("a body of %d bytes is too long: at most %d are read", len(v), maxBody)
	}
	c.data = append(c.data, v)
	return nil
}

// urlencode is content, =content or name=content.
func (c *curl) urlencode(v string) error {
	name, content, named := strings.Cut(v, "=")
	switch {
	case variable(v):
		return fmt.Errorf("a variable can not be encoded while the line is read: write the value out")
	case !named && strings.Contains(v, "@"):
		return fmt.Errorf("content from a file is not read here: use --data-binary @FILE")
	case !named:
		name, content = "", v
	}
	piece := strings.ReplaceAll(url.QueryEscape(content), "+", "%20")
	if name != "" {
		piece = name + "=" + piece
	}
	c.data = append(c.data, piece)
	return nil
}

// get is a header's value, "" if it is not there.
func (c *curl) value(name string) string {
	for _, h := range c.headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}
