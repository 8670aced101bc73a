package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// option is one of curl's that is known.
type option struct {
	long, short string
	value       bool // it takes one
	do          func(c *curl, value string) error
	ignored     string // why it changes nothing here, "" if it does
}

// curl is what the flags of a line ask for.
type curl struct {
	method, url, user string
	headers           [][2]string
	data              []string // joined with &
	json, get         bool
	notes             []string
	read              func(name string) ([]byte, error)
}

const loud = "it only changes what curl prints"

// flags are those of curl that lines of requests use.
var flags = []option{
	{"request", "X", true, func(c *curl, v string) error { c.method = strings.ToUpper(v); return nil }, ""},
	{"header", "H", true, (*curl).header, ""},
	{"data", "d", true, func(c *curl, v string) error { return c.body(v, true, true) }, ""},
	{"data-ascii", "", true, func(c *curl, v string) error { return c.body(v, true, true) }, ""},
	{"data-binary", "", true, func(c *curl, v string) error { return c.body(v, true, false) }, ""},
	{"data-raw", "", true, func(c *curl, v string) error { return c.body(v, false, false) }, ""},
	{"data-urlencode", "", true, (*curl).urlencode, ""},
	{"json", "", true, func(c *curl, v string) error { c.json = true; return c.body(v, true, false) }, ""},
	{"user", "u", true, func(c *curl, v string) error { c.user = v; return nil }, ""},
	{"oauth2-bearer", "", true, func(c *curl, v string) error { return c.header("Authorization: Bearer " + v) }, ""},
	{"cookie", "b", true, (*curl).cookie, ""},
	{"url", "", true, (*curl).address, ""},
	{"get", "G", false, func(c *curl, _ string) error { c.get = true; return nil }, ""},
	{"user-agent", "A", true, nil, "requests name idemcheck and the run"},
	{"referer", "e", true, func(c *curl, v string) error { return c.header("Referer: " + v) }, ""},
	{"form", "F", true, refuse("multipart forms are not read: send JSON, or a form with -d"), ""},
	{"form-string", "", true, refuse("multipart forms are not read: send JSON, or a form with -d"), ""},
	{"upload-file", "T", true, refuse("uploads are not read: give the body with --data-binary @FILE"), ""},
	{"config", "K", true, refuse("configuration files of curl are not read: write its flags out"), ""},
	{"proxy", "x", true, refuse("proxies are not used: give the address of the service itself"), ""},
	{"cert", "E", true, refuse("client certificates are not built yet"), ""},
	{"key", "", true, refuse("client certificates are not built yet"), ""},
	{"unix-socket", "", true, refuse("unix sockets are not built yet: give an address on loopback"), ""},
	{"next", "", false, refuse("one request is wanted, the line has several"), ""},
	{"insecure", "k", false, nil, "certificates are always checked"},
	{"cacert", "", true, nil, "the certificates of the system are used (SSL_CERT_FILE names others)"},
	{"compressed", "", false, nil, "answers are asked for as they are"},
	{"location", "L", false, nil, "redirects are not followed"},
	{"max-time", "m", true, nil, "limits: {attempt: 10s} says how long an attempt may take"},
	{"connect-timeout", "", true, nil, "limits: {attempt: 10s} says how long an attempt may take"},
	{"retry", "", true, nil, "repeats are what idemcheck sends"},
	{"retry-delay", "", true, nil, "repeats are what idemcheck sends"},
	{"retry-max-time", "", true, nil, "repeats are what idemcheck sends"},
	{"retry-all-errors", "", false, nil, "repeats are what idemcheck sends"},
	{"http1.1", "", false, nil, "HTTP/1.1 is what is sent"}, {"http2", "", false, nil, "HTTP/1.1 is what is sent"},
	{"silent", "s", false, nil, loud}, {"show-error", "S", false, nil, loud}, {"include", "i", false, nil, loud},
	{"verbose", "v", false, nil, loud}, {"fail", "f", false, nil, loud}, {"fail-with-body", "", false, nil, loud},
	{"no-buffer", "N", false, nil, loud}, {"progress-bar", "#", false, nil, loud}, {"globoff", "g", false, nil, loud},
	{"output", "o", true, nil, loud}, {"remote-name", "O", false, nil, loud}, {"write-out", "w", true, nil, loud},
	{"dump-header", "D", true, nil, loud}, {"cookie-jar", "c", true, nil, loud}, {"no-progress-meter", "", false, nil, loud},
	{"ipv4", "4", false, nil, "the address decides"}, {"ipv6", "6", false, nil, "the address decides"},
}

func refuse(why string) func(*curl, string) error {
	return func(*curl, string) error { return fmt.Errorf("%s", why) }
}

// parse takes the words after curl.
func (c *curl) parse(args []string) error {
	plainOnly := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case plainOnly || !strings.HasPrefix(arg, "-") || arg == "-":
			err = c.address(arg)
		case arg == "--":
			plainOnly = true
		case strings.HasPrefix(arg, "--"):
			args, err = c.long(arg, args)
		default:
			args, err = c.short(arg[1:], args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *curl) long(arg string, args []string) ([]string, error) {
	name, value, inline := strings.Cut(arg[2:], "=")
	i := slices.IndexFunc(flags, func(f option) bool { return f.long == name })
	if i < 0 {
		return nil, fmt.Errorf("curl's flag --%s is not known here%s", name, strict.DidYouMean(name, longs()))
	}
	f := flags[i]
	if f.value && !inline {
		if len(args) == 0 {
			return nil, fmt.Errorf("--%s needs a value", name)
		}
		value, args = args[0], args[1:]
	}
	return args, c.apply(f, "--"+name, value)
}

func longs() (all []string) {
	for _, f := range flags {
		all = append(all, f.long)
	}
	return all
}

// short takes a bundle such as sSX or XPOST.
func (c *curl) short(bundle string, args []string) ([]string, error) {
	for i, r := range bundle {
		at := slices.IndexFunc(flags, func(f option) bool { return f.short == string(r) })
		if at < 0 {
			return nil, fmt.Errorf("curl's flag -%c is not known here", r)
		}
		f, value := flags[at], ""
		if f.value {
			if value = bundle[i+len(string(r)):]; value == "" {
				if len(args) == 0 {
					return nil, fmt.Errorf("-%c needs a value", r)
				}
				value, args = args[0], args[1:]
			}
		}
		if err := c.apply(f, "-"+string(r), value); err != nil {
			return nil, err
		}
		if f.value {
			break
		}
	}
	return args, nil
}

func (c *curl) apply(f option, as, value string) error {
	if f.do == nil {
		if f.ignored != loud {
			c.notes = append(c.notes, fmt.Sprintf("%s was left out: %s", as, f.ignored))
		}
		return nil
	}
	if err := f.do(c, value); err != nil {
		return fmt.Errorf("%s: %w", as, err)
	}
	return nil
}
