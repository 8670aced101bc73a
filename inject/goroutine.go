package inject

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// goroutine is the number of the calling goroutine, as the runtime prints it.
func goroutine() int64 {
	var b [64]byte
	n, _ := numberAfter(b[:runtime.Stack(b[:], false)], "goroutine ")
	return n
}

// here is the calling goroutine, and whether it is in a bubble of testing/synctest.
func here() (number int64, bubble bool) {
	var b [128]byte
	head, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("\n"))
	g := readGoroutine(head)
	return g.number, g.bubble != 0
}

// numberAfter reads the number that follows a word at the beginning of text.
func numberAfter(text []byte, word string) (n int64, rest []byte) {
	text, ok := bytes.CutPrefix(text, []byte(word))
	if !ok {
		return 0, text
	}
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, _ = strconv.ParseInt(string(text[:end]), 10, 64)
	return n, text[end:]
}

// motion is what a goroutine does, as far as someone who waits for it must know.
type motion int

const (
	still   motion = iota // it stands until another goroutine moves
	locked                // likewise, at a sync.Mutex or RWMutex: a bubble of testing/synctest does not take that for standing
	outside               // it comes back by itself: from a sleep, the network, a system call
	moving                // it runs, or could
)

// standing are the words of the runtime for goroutines that another one must wake.
var standing = map[string]motion{
	"chan receive": still, "chan send": still, "select": still, "select (no cases)": still,
	"chan receive (nil chan)": still, "chan send (nil chan)": still, "coroutine": still,
	"sync.Cond.Wait": still, "sync.WaitGroup.Wait": still, "semacquire": locked,
	"synctest.Wait": still, "synctest.Run": still, "finalizer wait": still,
	"sync.Mutex.Lock": locked, "sync.RWMutex.Lock": locked, "sync.RWMutex.RLock": locked,
	"IO wait": outside, "sleep": outside, "syscall": outside,
}

// seen is one goroutine as the runtime prints it.
type seen struct {
	number, parent int64 // parent: of the goroutine that started it; 0: unknown
	bubble         int64 // of testing/synctest; 0: none
	motion         motion
	durable        bool // a bubble takes it for standing
}

// stacks holds memory for dumps.
var stacks = sync.Pool{New: func() any { return new(make([]byte, 64<<10)) }}

// goroutines are all there are, the calling one first; nil if they are too many
// to be looked at.
func goroutines() (all []seen) {
	b := stacks.Get().(*[]byte)
	defer stacks.Put(b)
	const most = 4 << 20
	n := runtime.Stack(*b, true)
	for ; n == len(*b); n = runtime.Stack(*b, true) {
		if n >= most {
			return nil
		}
		*b = make([]byte, 4*n)
	}
	for block := range bytes.SplitSeq((*b)[:n], []byte("\n\n")) {
		all = append(all, readGoroutine(block))
	}
	return all
}

// readGoroutine reads one block of a dump: "goroutine 7 [select, 2 minutes,
// synctest bubble 1]:", the frames, "created by F in goroutine 6".
func readGoroutine(block []byte) (g seen) {
	head, frames, _ := bytes.Cut(block, []byte("\n"))
	g.number, head = numberAfter(head, "goroutine ")
	if from, to := bytes.IndexByte(head, '['), bytes.LastIndexByte(head, ']'); from >= 0 && to > from {
		words := strings.Split(string(head[from+1:to]), ", ")
		state := strings.TrimSuffix(words[0], " (scan)")
		state, g.durable = strings.CutSuffix(state, " (durable)")
		state = strings.TrimSuffix(state, " (leaked)")
		var known bool
		if g.motion, known = standing[state]; !known {
			g.motion = moving
		}
		for _, w := range words[1:] {
			if n, _ := numberAfter([]byte(w), "synctest bubble "); n > 0 {
				g.bubble = n
			}
		}
	}
	const by, in = "\ncreated by ", " in goroutine "
	if i := bytes.LastIndex(frames, []byte(by)); i >= 0 {
		line, _, _ := bytes.Cut(frames[i+len(by):], []byte("\n"))
		if j := bytes.LastIndex(line, []byte(in)); j >= 0 {
			g.parent, _ = numberAfter(line[j:], in)
		}
	}
	return g
}
