package relay

// A frame knows where a body ends.
type frame struct {
	left    int64 // of a body with a length
	chunked bool
	toEnd   bool // of the connection
	chunks  chunks
}

// take tells how many of the bytes that came belong to the body, and whether it
// ends with them.
func (f *frame) take(b []byte) (n int, done bool, err error) {
	switch {
	case f.toEnd:
		return len(b), false, nil
	case f.chunked:
		return f.chunks.scan(b)
	}
	n = int(min(int64(len(b)), f.left))
	f.left -= int64(n)
	return n, f.left == 0, nil
}
