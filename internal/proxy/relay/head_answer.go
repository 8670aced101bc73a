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
	encodings, framing, keeps, first := 0, false, false, true
	for {
		line, rest = looseLine(rest)
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if framing || first || !all(line, inValue) {
				return badFold
			}
			continue
		}
		first = false
		name, value, v := cutField(line)
		if v != nil {
			return v
		}
		framing = true
		switch {
		case equalFold(name, "Content-Length"):
			n, ok := decimal(value)
			if !ok {
				return badLength
			}
			if a.length >= 0 && a.length != n {
				return badLengths
			}
			a.length = n
		case equalFold(name, "Transfer-Encoding"):
			encodings++
			if !equalFold(value, "chunked") {
				return badEncoding
			}
		case equalFold(name, "Connection"):
			closes, _ := options(value)
			a.close = a.close || closes
			keeps = keeps || !closes && bytes.Contains(bytes.ToLower(value), []byte("keep-alive"))
		default:
			framing = false
		}
	}
	switch {
	case encodings > 1:
		return badEncodings
	case encodings == 1 && a.old:
		return badEncoding
	}
	a.Chunked = encodings == 1
	a.close = a.close || a.old && !keeps
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
