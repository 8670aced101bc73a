package traffic

import (
	"net/http"
	"testing"
	"time"
)

type sending struct {
	after  time.Duration
	path   string
	head   string
	body   uint64
	status int
	lost   bool
	kept   bool
}

// habitsOf passes requests and returns what was seen, by kind.
func habitsOf(sent []sending) map[string]int64 {
	now := time.Unix(1_790_000_000, 0)
	l := New(Options{KeyTable: 1000, Now: func() time.Time { return now }})
	for _, s := range sent {
		now = now.Add(s.after + time.Second)
		path := s.path
		if path == "" {
			path = "/charges"
		}
		l.Pass(&Pass{Method: []byte("POST"), Path: []byte(path), Sent: l.Read([]byte("POST / HTTP/1.1\r\n" + s.head + "\r\n")), Body: s.body, Status: s.status, Lost: s.lost, Kept: s.kept, Caller: 9})
	}
	got := map[string]int64{}
	for _, h := range l.Report().Callers.Findings {
		got[h.Kind] += h.N
	}
	return got
}

func TestDiscipline(t *testing.T) {
	const k1, k2 = "Idempotency-Key: one\r\n", "idempotency-key: two\r\n"
	for name, c := range map[string]struct {
		sent []sending
		want map[string]int64
	}{
		"one of each":                 {[]sending{{head: k1, body: 1, status: 201}, {head: k2, body: 2, status: 201}}, nil},
		"a key for two bodies":        {[]sending{{head: k1, body: 1, status: 201}, {head: k1, body: 2, status: 422}}, map[string]int64{"other-body": 1}},
		"of two callers":              {[]sending{{head: k1 + "Authorization: Bearer a\r\n", body: 1, status: 201}, {head: k1 + "Authorization: Bearer b\r\n", body: 2, status: 201}}, nil},
		"a retry":                     {[]sending{{head: k1, body: 1, status: 503}, {head: k1, body: 1, status: 201}}, map[string]int64{"retry": 1}},
		"a retry that is worse":       {[]sending{{head: k1, body: 1, status: 201}, {head: k1, body: 1, status: 422}}, map[string]int64{"retry": 1, "retry-worse": 1}},
		"a retry that the proxy made": {[]sending{{head: k1, body: 1, status: 201, lost: true, kept: true}, {head: k1, body: 1, status: 201}}, nil},
		"the same without a key":      {[]sending{{body: 1, status: 201, lost: true, kept: true}, {body: 1, status: 201}}, nil},
		"and one more by itself":      {[]sending{{head: k1, body: 1, status: 201, lost: true, kept: true}, {head: k1, body: 1, status: 503}, {head: k1, body: 1, status: 201}}, map[string]int64{"retry": 1, "retry-worse": 1}},
		"under a new key":             {[]sending{{head: k1, body: 1, status: 201, lost: true}, {head: k2, body: 1, status: 201}}, map[string]int64{"new-key-after-failure": 1}},
		"many keys":                   {[]sending{{head: k1, body: 1, status: 201}, {head: k2, body: 1, status: 201}}, map[string]int64{"many-keys": 1}},
		"many keys, later":            {[]sending{{head: k1, body: 1, status: 201}, {after: time.Hour, head: k2, body: 1, status: 201}}, nil},
		"two routes":                  {[]sending{{head: k1, body: 1, status: 201}, {path: "/refunds", head: k1, body: 1, status: 201}}, map[string]int64{"two-routes": 1}},
		"without a key":               {[]sending{{body: 1, status: 500}, {body: 1, status: 201}}, map[string]int64{"retry-keyless": 1}},
		"some without":                {[]sending{{body: 1, status: 201}, {head: k1, body: 2, status: 201}}, map[string]int64{"some-keyless": 1}},
		"a mesh alone": {[]sending{{head: k1 + "X-Envoy-Attempt-Count: 1\r\n", body: 1, status: 503}, {head: k1 + "x-envoy-attempt-count: 2\r\n", body: 1, status: 201}},
			map[string]int64{"retry": 1}},
		"a mesh under an SDK": {[]sending{{head: k1 + "X-Envoy-Attempt-Count: 1\r\n", body: 1, status: 503}, {head: k1 + "X-Envoy-Attempt-Count: 2\r\n", body: 1, status: 503},
			{head: k1 + "X-Envoy-Attempt-Count: 1\r\n", body: 1, status: 503}, {head: k1 + "X-Envoy-Attempt-Count: 2\r\n", body: 1, status: 201}}, map[string]int64{"retry": 3, "multiplied": 1}},
		"an SDK by its call": {[]sending{{head: "amz-sdk-invocation-id: i1\r\namz-sdk-request: attempt=1; max=3\r\n", status: 503},
			{head: "amz-sdk-invocation-id: i1\r\namz-sdk-request: attempt=2; max=3\r\n", status: 200}}, map[string]int64{"retry": 1}},
	} {
		got := habitsOf(c.sent)
		for kind, n := range c.want {
			if got[kind] != n {
				t.Errorf("%s: %s %d, want %d (%v)", name, kind, got[kind], n, got)
			}
			delete(got, kind)
		}
		if len(got) > 0 {
			t.Errorf("%s: also %v", name, got)
		}
	}
}

// The two ways to read a head agree.
func TestReadAndReadHeader(t *testing.T) {
	l := New(Options{KeyTable: 100, Keys: []string{"X-My-Key"}})
	for _, head := range []string{
		"", "Idempotency-Key: a b\r\n", "X-My-Key:   k  \r\nAuthorization: Bearer x\r\n", "PayPal-Request-Id: p\r\nX-Stainless-Retry-Count: 2\r\n",
		"X-Envoy-Attempt-Count: 3\r\nX-Stainless-Retry-Count: 1\r\n", "amz-sdk-request: attempt=2; max=3\r\n", "X-Retry-Count: none\r\n", "Cookie: a=b\r\nX-Api-Key: q\r\n",
	} {
		h := http.Header{}
		for _, line := range splitLines(head) {
			h.Add(line[0], line[1])
		}
		a, b := l.Read([]byte("POST / HTTP/1.1\r\n"+head+"\r\n")), l.ReadHeader(h)
		if string(a.Key) != string(b.Key) || a.Who != b.Who || a.Try != b.Try || a.Layer != b.Layer || a.Same != b.Same {
			t.Errorf("%q: %+v and %+v", head, a, b)
		}
	}
}
