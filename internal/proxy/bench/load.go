package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// result is what one load saw.
type result struct {
	took  time.Duration
	times []time.Duration // of each request, if there was one connection
	count int
}

func (r result) rate() float64 { return float64(r.count) / r.took.Seconds() }

func (r result) median() time.Duration {
	slices.Sort(r.times)
	return r.times[len(r.times)/2]
}

// load posts on that many connections, one request after the other, for a time.
func load(b *testing.B, to *child, conns int, d time.Duration) result {
	b.Helper()
	var wg sync.WaitGroup
	parts := make([]result, conns)
	errs := make([]error, conns)
	begin := time.Now()
	for i := range conns {
		wg.Go(func() { parts[i], errs[i] = drive(to.addr, i, begin.Add(d), conns == 1) })
	}
	wg.Wait()
	sum := result{took: time.Since(begin), times: parts[0].times}
	for i, p := range parts {
		if errs[i] != nil {
			b.Fatal(errs[i])
		}
		sum.count += p.count
	}
	to.asked += sum.count
	return sum
}

// drive is one connection of a load. It reads answers no more than it must, but
// sees that each is the right one.
func drive(addr string, n int, until time.Time, times bool) (r result, err error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return r, err
	}
	defer c.Close()
	id := fmt.Sprintf("caller-%05d", n)
	ask := request(id)
	buf := make([]byte, 4<<10)
	for now := time.Now(); now.Before(until); {
		if _, err := c.Write(ask); err != nil {
			return r, err
		}
		if err := read(c, buf, id); err != nil {
			return r, err
		}
		next := time.Now()
		if times {
			r.times = append(r.times, next.Sub(now))
		}
		now = next
		r.count++
	}
	return r, nil
}

func request(id string) []byte {
	body := fmt.Sprintf(`{"order":%q,"amount":4200,"currency":"EUR","customer":"c-1048576","description":"two tickets for the late show","metadata":{"channel":"web","locale":"de"},"capture":true}`, id)
	return fmt.Appendf(nil, "POST /charges HTTP/1.1\r\nHost: pay.example\r\nUser-Agent: load\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", id, len(body), body)
}

var length = []byte("Content-Length: ")

// read reads one answer with a length, which must name the id.
func read(c net.Conn, buf []byte, id string) error {
	n, want := 0, -1
	for n != want {
		m, err := c.Read(buf[n:])
		if n += m; err != nil {
			return err
		}
		if end := bytes.Index(buf[:n], []byte("\r\n\r\n")); want < 0 && end > 0 {
			_, after, _ := bytes.Cut(buf[:end+2], length)
			digits, _, _ := bytes.Cut(after, []byte("\r\n"))
			size, err := strconv.Atoi(string(digits))
			if err != nil {
				return fmt.Errorf("answer without a length: %q", buf[:n])
			}
			want = end + 4 + size
		}
	}
	if !bytes.HasPrefix(buf, []byte("HTTP/1.1 200 ")) || !bytes.Contains(buf[:n], []byte(id)) {
		return fmt.Errorf("the wrong answer for %s: %q", id, buf[:n])
	}
	return nil
}

// wait reads until the other side ends.
func wait(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
