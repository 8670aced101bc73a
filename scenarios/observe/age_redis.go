package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/idemcheck/idemcheck/internal/template"
)

// AgeRedis ages keys by shortening what is left of their life; one that has
// nothing left is deleted, as its expiry would do.
type AgeRedis struct {
	Keys   []template.Text // "idem:${key}"; each has ${id} or ${key}
	client *redis.Client
}

// OpenAgeRedis reads the URL (redis://user:password@host:6379/0); it connects
// at the first use. Errors never show a password.
func OpenAgeRedis(url string, keys []template.Text) (*AgeRedis, error) {
	client, err := openRedis(url)
	return &AgeRedis{Keys: keys, client: client}, err
}

// Close drops the connections.
func (a *AgeRedis) Close() error { return a.client.Close() }

// Check asks whether the server answers.
func (a *AgeRedis) Check(ctx context.Context) error {
	return redisError("age", a.client, a.client.Ping(ctx).Err())
}

// Age shortens the life of each key that is there. Keys that never expire are
// left and are an error, since nothing says when they should; so is none found.
func (a *AgeRedis) Age(ctx context.Context, q Query, by time.Duration) error {
	var aged, eternal, asked []string
	for _, text := range a.Keys {
		for _, v := range each(q, text.Names()) {
			key, err := text.Expand(v)
			if err != nil {
				return fmt.Errorf("age: redis: %w", err)
			}
			asked = append(asked, key)
			switch left, err := a.shorten(ctx, key, by); {
			case err != nil:
				return redisError("age", a.client, err)
			case left == noExpiry:
				eternal = append(eternal, key)
			case left != noKey:
				aged = append(aged, key)
			}
		}
	}
	switch {
	case len(eternal) > 0:
		return redisError("age", a.client, fmt.Errorf("these keys never expire, so they can not be made older: %s", strings.Join(eternal, ", ")))
	case len(aged) == 0:
		return redisError("age", a.client, fmt.Errorf("no such key, so nothing was aged: %s", strings.Join(asked, ", ")))
	}
	return nil
}

// What PTTL answers instead of a time, as go-redis gives it.
const (
	noKey    = -2 * time.Nanosecond
	noExpiry = -1 * time.Nanosecond
)

// shorten gives what was left of the key's life before.
func (a *AgeRedis) shorten(ctx context.Context, key string, by time.Duration) (time.Duration, error) {
	left, err := a.client.PTTL(ctx, key).Result()
	switch {
	case err != nil || left == noKey || left == noExpiry:
		return left, err
	case left <= by:
		return left, a.client.Del(ctx, key).Err()
	}
	changed, err := a.client.PExpire(ctx, key, left-by).Result()
	if err == nil && !changed { // it went between the two commands
		return noKey, nil
	}
	return left, err
}
