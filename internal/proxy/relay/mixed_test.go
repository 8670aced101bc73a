package relay

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestMixed sends requests of all shapes on many connections. Each answer tells
// what its request was: none is lost, changed or given to another.
func TestMixed(t *testing.T) {
	up := service(t, func(w http.ResponseWriter, r *http.Request) {
		h := fnv.New64a()
		_, _ = io.Copy(h, r.Body)
		w.Header().Set("X-Ask", r.RequestURI)
		if r.ContentLength%2 == 0 {
			w.(http.Flusher).Flush()
		}
		fmt.Fprintf(w, "%s %x %s", r.RequestURI, h.Sum64(), strings.Repeat("y", int(h.Sum64()%20_000)))
	})
	g := newRig(t, up, hasty)
	g.act = func(r *Request) *Act {
		if len(r.Target)%2 == 0 {
			return nil
		}
		tee := &tees{}
		return &Act{Request: &tee.request, Answer: &tee.answer, Hold: func() {}, Sent: func() {}}
	}
	g.over = func(r *Request, act *Act) {
		if act != nil {
			sameTee(t, r, act)
		}
	}
	var wg sync.WaitGroup
	for n := range 8 {
		c := g.dial()
		random := rand.New(rand.NewPCG(1, uint64(n)))
		asks := make([]string, 60)
		want := make([]string, len(asks))
		for i := range asks {
			asks[i], want[i] = anAsk(random, fmt.Sprintf("/%d/%d", n, i))
		}
		wg.Go(func() { inRandomPieces(c.c, rand.New(rand.NewPCG(2, uint64(n))), strings.Join(asks, "")) })
		wg.Go(func() {
			for i := range asks {
				a, err := http.ReadResponse(c.r, &http.Request{Method: "POST"})
				if err != nil {
					t.Error(n, i, err)
					return
				}
				body, err := io.ReadAll(a.Body)
				if err != nil || !strings.HasPrefix(string(body), want[i]+" ") {
					t.Errorf("connection %d, answer %d: %.40q for %q, %v", n, i, body, want[i], err)
					return
				}
			}
		})
	}
	wg.Wait()
	for range 8 * 60 {
		g.end()
	}
	if g.dials != 8 {
		t.Errorf("%d connections", g.dials)
	}
	for _, e := range g.ends {
		if e.a.Err != nil || !e.a.Given || !e.a.SentAll {
			t.Errorf("%s: %+v", e.target, e.a)
		}
	}
}

type tees struct{ request, answer bytes.Buffer }

// sameTee: the answer that was kept is that to the request that was kept.
func sameTee(t *testing.T, r *Request, act *Act) {
	q, body, err := SplitRequest(act.Request.(*bytes.Buffer).Bytes())
	if err != nil || !bytes.Equal(q.Head, r.Head) {
		t.Errorf("%s: kept %q, %v", r.Target, q.Head, err)
	}
	h := fnv.New64a()
	_, _ = h.Write(body)
	_, said, err := SplitAnswer(act.Answer.(*bytes.Buffer).Bytes(), "POST")
	if err != nil || !strings.HasPrefix(string(said), fmt.Sprintf("%s %x ", r.Target, h.Sum64())) {
		t.Errorf("%s: kept %.40q, %v", r.Target, said, err)
	}
}

// anAsk is a random request, and how its answer begins.
func anAsk(random *rand.Rand, target string) (ask, want string) {
	size := []int{0, 5, 300, 4096, 5000, 60_000}[random.IntN(6)]
	body := strings.Repeat(fmt.Sprint(random.Uint64()), size/10+1)[:size]
	h := fnv.New64a()
	_, _ = io.WriteString(h, body)
	want = fmt.Sprintf("%s %x", target, h.Sum64())
	if random.IntN(2) == 0 {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", target, size, body), want
	}
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", target)
	for len(body) > 0 {
		n := min(len(body), 1+random.IntN(9000))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	b.WriteString("0\r\n\r\n")
	return b.String(), want
}

func inRandomPieces(c net.Conn, random *rand.Rand, s string) {
	w := bufio.NewWriter(c)
	for len(s) > 0 {
		n := min(len(s), 1+random.IntN(8000))
		_, _ = w.WriteString(s[:n])
		s = s[n:]
		if random.IntN(2) == 0 {
			_ = w.Flush()
		}
	}
	_ = w.Flush()
}
