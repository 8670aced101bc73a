package traffic

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

const benchHead = "POST /charges HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: load/1\r\nAccept: */*\r\nContent-Type: application/json\r\n" +
	"Authorization: Bearer 0123456789abcdef\r\nIdempotency-Key: 6f1f2a60-7d5e-4b30-9d6b-0a1b2c3d4e5f\r\nContent-Length: 180\r\n\r\n"

// BenchmarkPass is what every request costs: its head, its route, its key.
func BenchmarkPass(b *testing.B) {
	l := New(Options{})
	head := []byte(benchHead)
	paths := make([][]byte, 1000)
	for i := range paths {
		paths[i] = fmt.Appendf(nil, "/v1/customers/cu_%08x/charges", i)
	}
	method := []byte("POST")
	at := bytes.Index(head, []byte("6f1f2a60"))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		for i := range 8 { // another key each time
			head[at+i] = "0123456789abcdef"[n>>(4*i)&15]
		}
		p := Pass{Method: method, Path: paths[n%len(paths)], Sent: l.Read(head), Status: 201, Body: uint64(n + 1), Took: time.Millisecond}
		l.Pass(&p)
	}
}

func BenchmarkRead(b *testing.B) {
	l := New(Options{})
	head := []byte(benchHead)
	b.ReportAllocs()
	for b.Loop() {
		l.Read(head)
	}
}

func BenchmarkRepeat(b *testing.B) {
	bench := newBench(Options{})
	b.ReportAllocs()
	for b.Loop() {
		bench.tell(unsound[0], 1)
	}
}
