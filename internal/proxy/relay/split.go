package relay

import "errors"

// SplitAnswer reads one raw answer, the last of those in raw that is no 1xx. The
// body is without chunk framing; its Content-Encoding is left as it is. A body
// that is cut off comes with an error.
func SplitAnswer(raw []byte, method string) (a Answer, body []byte, err error) {
	return Answer{}, nil, errors.New("not yet")
}

// SplitRequest reads one raw request; the body is without chunk framing.
func SplitRequest(raw []byte) (r Request, body []byte, err error) {
	return Request{}, nil, errors.New("not yet")
}
