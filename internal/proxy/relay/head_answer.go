package relay

import "bytes"

// parseAnswer reads a head that ends with its empty line. Answers are read less
// strictly than requests, as every client does: a line may end with LF alone, and
// fields that say nothing of the framing may be folded.
func parseAnswer(head []byte, a *Answer) *verdict {
	*a = Answer{Head: head, length: -1}
	line, rest := looseLine(head)
	if v := a.start(line); v != nil {
		return v
	}
	said := sayings{fixed: true}
	for {
		line, rest = looseLine(rest)
		if len(line) == 0 {
			break
		}
		if v := said.line(a, line); v != nil {
			return v
		}
	}
	if said.encodings > 1 || said.encodings == 1 && a.old {
		return badEncodings
	}
	a.Chunked = said.encodings == 1
	a.close = a.close || a.old && !said.keeps
	return nil
}

// sayings are what the fields of an answer say of its framing.
type sayings struct {
	encodings int
	keeps     bool
	fixed     bool // the line before must not be folded
}

func (s *sayings) line(a *Answer, line []byte) *verdict {
	if line[0] == ' ' || line[0] == '\t' {
		if s.fixed || !all(line, inValue) {
			return badFold
		}
		return nil
	}
	name, value, v := cutField(line)
	if v != nil {
		return v
	}
	s.fixed = true
	switch {
	case equalFold(name, "Content-Length"):
		return a.announced(value)
	case equalFold(name, "Transfer-Encoding"):
		if s.encodings++; !equalFold(value, "chunked") {
			return badEncoding
		}
	case equalFold(name, "Connection"):
		closes, keeps, _ := options(value)
		a.close, s.keeps = a.close || closes, s.keeps || keeps
	default:
		s.fixed = false
	}
	return nil
}

// announced reads a Content-Length; the same may come twice.
func (a *Answer) announced(value []byte) *verdict {
	n, ok := decimal(value)
	switch {
	case !ok:
		return badLength
	case a.length >= 0 && a.length != n:
		return badLengths
	}
	a.length = n
	return nil
}

// looseLine takes one line off, whatever its end.
func looseLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return nil, nil
	}
	line, rest = b[:i], b[i+1:]
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	return line, rest
}

// start reads the status line.
func (a *Answer) start(line []byte) *verdict {
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[8] != ' ' || len(line) > 12 && line[12] != ' ' || !all(line, inValue) {
		return badStatus
	}
	status, ok := decimal(line[9:12])
	if !ok || status < 100 || line[7] != '0' && line[7] != '1' {
		return badStatus
	}
	a.Status, a.old = int(status), line[7] == '0'
	return nil
}

// body is how the body of an answer is framed.
func (a *Answer) body(method []byte) frame {
	switch {
	case a.Status/100 == 1, a.Status == 204, a.Status == 304, string(method) == "HEAD":
		a.Chunked = false
		return frame{}
	case a.Chunked:
		return frame{chunked: true, chunks: chunks{loose: true}}
	case a.length >= 0:
		return frame{left: a.length}
	}
	a.ToEnd, a.close = true, true
	return frame{toEnd: true}
}
