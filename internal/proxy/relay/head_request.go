package relay

import "bytes"

// parseRequest reads a head that ends with its empty line.
func parseRequest(head []byte, r *Request) *verdict {
	*r = Request{Head: head}
	line, rest, v := cutLine(head)
	if v != nil {
		return v
	}
	if v := r.start(line); v != nil && v.status != 0 {
		return v
	} else if v == oddVersion && string(r.Method) == "PRI" {
		return v
	} else {
		return r.fields(rest, v)
	}
}

// cutLine takes one line off, which must end with CRLF.
func cutLine(b []byte) (line, rest []byte, v *verdict) {
	i := bytes.IndexByte(b, '\n')
	if i < 1 || b[i-1] != '\r' {
		return nil, nil, badLine
	}
	return b[:i-1], b[i+1:], nil
}

// start reads the start line.
func (r *Request) start(line []byte) *verdict {
	one := bytes.IndexByte(line, ' ')
	two := bytes.LastIndexByte(line, ' ')
	if one < 1 || two <= one+1 {
		return badStart
	}
	r.Method, r.Target = line[:one], line[one+1:two]
	if !all(r.Method, inToken) || !all(r.Target, inTarget) {
		return badStart
	}
	switch version := line[two+1:]; {
	case string(version) == "HTTP/1.1":
	case string(version) == "HTTP/1.0", string(version) == "HTTP/2.0" && string(r.Method) == "PRI":
		return oddVersion
	case len(version) == 8 && string(version[:5]) == "HTTP/" && version[6] == '.':
		return badVersion
	default:
		return badStart
	}
	if r.Target[0] != '/' || string(r.Method) == "CONNECT" {
		return oddTarget
	}
	return nil
}

// fields reads the header fields. What is unlawful weighs more than what is odd.
func (r *Request) fields(rest []byte, odd *verdict) *verdict {
	seen := framing{old: odd == oddVersion, odd: odd}
	for {
		line, next, v := cutLine(rest)
		if v != nil {
			return v
		}
		if len(line) == 0 {
			return seen.judge(r)
		}
		rest = next
		name, value, v := cutField(line)
		if v == nil {
			v = seen.field(r, name, value)
		}
		if v != nil {
			return v
		}
	}
}

// framing is what the fields of a request say of its framing.
type framing struct {
	hosts, lengths, encodings int

	old bool // HTTP/1.0
	odd *verdict
}

// field reads one field. Those that matter differ in length, but for a few.
func (f *framing) field(r *Request, name, value []byte) *verdict {
	switch len(name) {
	case len("Host"):
		if equalFold(name, "Host") {
			f.hosts, r.Host = f.hosts+1, value
		}
	case len("Content-Length"):
		if likeFold(name, "Content-Length") {
			n, ok := decimal(value)
			if !ok || name[7] != '-' {
				return badLength
			}
			f.lengths, r.Length = f.lengths+1, n
		}
	case len("Transfer-Encoding"):
		if likeFold(name, "Transfer-Encoding") {
			return f.encoding(name, value)
		}
	case len("Connection"):
		if equalFold(name, "Connection") && !r.connection(value) {
			f.odd = oddConnection
		}
	case len("Upgrade"), len("Expect"), len("TE"):
		if v := oddField(name); v != nil {
			f.odd = v
		}
	}
	return nil
}

func (f *framing) encoding(name, value []byte) *verdict {
	if !equalFold(value, "chunked") || name[len("Transfer")] != '-' {
		return badEncoding
	}
	if string(value) != "chunked" {
		f.odd = oddEncoding
	}
	f.encodings++
	return nil
}

// judge tells what the fields make of the request.
func (f *framing) judge(r *Request) *verdict {
	switch {
	case f.hosts > 1 || f.hosts == 0 && !f.old || !all(r.Host, inHost):
		return badHost
	case f.lengths > 1:
		return badLengths
	case f.encodings > 1:
		return badEncodings
	case f.lengths > 0 && f.encodings > 0:
		return badBoth
	case f.encodings > 0 && f.old:
		return badEncoding
	case f.encodings > 0:
		r.Length = -1
	}
	return f.odd
}

// cutField takes a line apart.
func cutField(line []byte) (name, value []byte, v *verdict) {
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, badFold
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 1 || !all(line[:colon], inToken) {
		return nil, nil, badName
	}
	value = trim(line[colon+1:])
	if !all(value, inValue) {
		return nil, nil, badValue
	}
	return line[:colon], value, nil
}

// likeFold is equalFold, but takes an underscore for a dash, as some servers do.
func likeFold(b []byte, s string) bool {
	for i := range b {
		if lower(b[i]) != lower(s[i]) && (b[i] != '_' || s[i] != '-') {
			return false
		}
	}
	return true
}

func oddField(name []byte) *verdict {
	switch {
	case equalFold(name, "Upgrade"):
		return oddUpgrade
	case equalFold(name, "Expect"):
		return oddExpect
	case equalFold(name, "Trailer"), equalFold(name, "TE"):
		return oddTrailer
	}
	return nil
}

// connection reads one Connection field; false: it names something odd.
func (r *Request) connection(value []byte) bool {
	closes, _, others := options(value)
	r.close = r.close || closes
	return !others
}

// options reads the tokens of a Connection field.
func options(value []byte) (closes, keeps, others bool) {
	for more := true; more; {
		var token []byte
		token, value, more = bytes.Cut(value, []byte{','})
		switch token = trim(token); {
		case len(token) == 0:
		case equalFold(token, "keep-alive"):
			keeps = true
		case equalFold(token, "close"):
			closes = true
		default:
			others = true
		}
	}
	return closes, keeps, others
}
