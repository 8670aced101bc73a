package observe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/idemcheck/idemcheck/internal/template"
)

// Redis counts effects by what stands under a key: a text that is a whole number
// counts itself, a list, set, sorted set or stream its length, a hash is one, or
// the number in one of its fields. A key that is not there is 0.
type Redis struct {
	Key    template.Text // "charges:${id}"; it has ${id} or ${key}
	Field  string        // of a hash; "": the hash itself is one effect
	client *redis.Client
}

// OpenRedis reads the URL (redis://user:password@host:6379/0); it connects at
// the first read. Errors never show a password.
func OpenRedis(url string, key template.Text, field string) (*Redis, error) {
	client, err := openRedis(url)
	return &Redis{Key: key, Field: field, client: client}, err
}

// Close drops the connections.
func (r *Redis) Close() error { return r.client.Close() }

// Check asks whether the server answers.
func (r *Redis) Check(ctx context.Context) error {
	return redisError("", r.client, r.client.Ping(ctx).Err())
}

// Read implements Observer.
func (r *Redis) Read(ctx context.Context, q Query) ([]Count, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	vars := each(q, r.Key.Names())
	counts := make([]Count, len(vars))
	err := inParallel(ctx, len(vars), func(ctx context.Context, i int) error {
		key, err := r.Key.Expand(vars[i])
		if err != nil {
			return fmt.Errorf("redis: %w", err)
		}
		n, err := r.count(ctx, key)
		if err != nil {
			return redisError("", r.client, plain(ctx, err))
		}
		counts[i] = Count{ID: vars[i].ID, Key: vars[i].Key, Scope: q.Scope, N: n}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return some(counts), nil
}

func (r *Redis) count(ctx context.Context, key string) (int, error) {
	kind, err := r.client.Type(ctx, key).Result()
	if err != nil {
		return 0, err
	}
	if r.Field != "" && kind != "hash" && kind != "none" {
		return 0, fmt.Errorf("%s is a %s and has no field %s", key, kind, r.Field)
	}
	var n int64
	switch kind {
	case "none":
	case "string":
		return whole(key, r.client.Get(ctx, key))
	case "list":
		n, err = r.client.LLen(ctx, key).Result()
	case "set":
		n, err = r.client.SCard(ctx, key).Result()
	case "zset":
		n, err = r.client.ZCard(ctx, key).Result()
	case "stream":
		n, err = r.client.XLen(ctx, key).Result()
	case "hash":
		if r.Field != "" {
			return whole(key+" "+r.Field, r.client.HGet(ctx, key, r.Field))
		}
		n = 1
	default:
		return 0, fmt.Errorf("%s is a %s, which can not be counted", key, kind)
	}
	return int(n), err
}

// whole is a count that is written as a number; one that went since is 0.
func whole(where string, c *redis.StringCmd) (int, error) {
	text, err := c.Result()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s holds %s, want a whole number that is not negative", where, excerpt([]byte(text)))
	}
	return n, nil
}

// openRedis makes a client that asks nothing of a server but what we ask.
func openRedis(url string) (*redis.Client, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("redis: want a URL such as redis://127.0.0.1:6379/0, rediss://user:password@host:6379/0 or unix:///run/redis.sock, with @ / : # % in a password percent-encoded")
	}
	o.DisableIdentity = true
	o.MaxRetries, o.DialerRetries = -1, 1
	o.PoolSize = parallel
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = patience, patience, patience
	redis.SetLogger(quiet{})
	return redis.NewClient(o), nil
}

// quiet keeps the client from writing to standard error: its errors come back to us.
type quiet struct{}

// Printf takes a line and drops it.
func (quiet) Printf(context.Context, string, ...any) {}

// RedisHost is the host that a Redis URL names, "" for a socket.
func RedisHost(url string) (string, error) {
	c, err := openRedis(url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if c.Options().Network == "unix" {
		return "", nil
	}
	host, _, err := net.SplitHostPort(c.Options().Addr)
	return host, err
}

// redisError puts the server before an error.
func redisError(who string, c *redis.Client, err error) error {
	if err == nil {
		return nil
	}
	text := fmt.Sprintf("redis %s/%d", c.Options().Addr, c.Options().DB)
	if who != "" {
		text = who + ": " + text
	}
	return fmt.Errorf("%s: %w", text, err)
}
