package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
)

// countsRedis reads every kind of value on a server.
func countsRedis(t *testing.T, url string) {
	open := func(key, field string) *Redis {
		r, err := OpenRedis(url, parsed(t, "idemcheck-test:"+key), field)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	r := open("${id}", "")
	c, ctx := r.client, t.Context()
	const p = "idemcheck-test:"
	c.Set(ctx, p+"text", "3", time.Minute)
	c.Set(ctx, p+"words", "three", time.Minute)
	c.RPush(ctx, p+"list", "a", "b")
	c.SAdd(ctx, p+"set", "a")
	c.ZAdd(ctx, p+"zset", zs("a", "b", "c")...)
	c.XAdd(ctx, added(p+"stream"))
	c.HSet(ctx, p+"hash", "n", 4, "word", "x")
	c.Set(ctx, p+"alice:k", "2", time.Minute)
	defer c.Del(ctx, p+"text", p+"words", p+"list", p+"set", p+"zset", p+"stream", p+"hash", p+"alice:k")
	if err := r.Check(ctx); err != nil {
		t.Error(err)
	}
	want := []Count{{ID: "text", N: 3}, {ID: "list", N: 2}, {ID: "set", N: 1}, {ID: "zset", N: 3}, {ID: "stream", N: 1}, {ID: "hash", N: 1}}
	if d := cmp.Diff(want, read(t, r, Query{IDs: []string{"text", "list", "set", "zset", "stream", "hash", "none", "text"}})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Count{{ID: "hash", N: 4}}, read(t, open("${id}", "n"), Query{IDs: []string{"hash", "none"}})); d != "" {
		t.Error(d)
	}
	if got := read(t, open("${id}", "gone"), Query{IDs: []string{"hash"}}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if d := cmp.Diff([]Count{{Key: "k", Scope: "alice", N: 2}}, read(t, open("${scope}:${key}", ""), Query{IDs: []string{"x"}, Keys: []string{"k"}, Scope: "alice"})); d != "" {
		t.Error(d)
	}
	for _, e := range []struct{ id, field, want string }{
		{"words", "", `idemcheck-test:words holds "three", want a whole number`},
		{"hash", "word", `idemcheck-test:hash word holds "x"`},
		{"list", "n", "is a list and has no field n"},
	} {
		if _, err := open("${id}", e.field).Read(ctx, Query{IDs: []string{e.id}}); err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("got %v, want %q", err, e.want)
		}
	}
}

func TestRedis(t *testing.T) {
	server := miniredis.RunT(t)
	countsRedis(t, "redis://"+server.Addr()+"/0")
	r, err := OpenRedis("redis://127.0.0.1:1/0", parsed(t, "${id}"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(t.Context(), Query{IDs: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "redis 127.0.0.1:1/0: ") {
		t.Errorf("got %v", err)
	}
}

func TestRedisServer(t *testing.T) { countsRedis(t, redisTest(t)) }

func zs(members ...string) (zs []redis.Z) {
	for i, m := range members {
		zs = append(zs, redis.Z{Score: float64(i), Member: m})
	}
	return zs
}

func added(stream string) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: stream, Values: []string{"a", "b"}}
}
