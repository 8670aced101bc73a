package inject

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine is the number of the calling goroutine, as the runtime prints it.
func goroutine() int64 {
	var b [64]byte
	text, _ := bytes.CutPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	n, _ := strconv.ParseInt(string(number), 10, 64)
	return n
}
