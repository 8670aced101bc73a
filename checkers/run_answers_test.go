package checkers_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// TestSoundAnswers lets sound services answer with all that may change from
// answer to answer. None is accused, however many orders there are.
func TestSoundAnswers(t *testing.T) {
	var n atomic.Int64
	begun := time.Now()
	for name, answer := range map[string]func(charge string) string{
		"plain":         func(c string) string { return c },
		"nothing":       func(string) string { return "" },
		"verbatim":      func(c string) string { return `{"charge":"` + c + `"}` },
		"a moment":      func(string) string { return `{"status":"paid","at":"` + time.Now().Format(time.RFC3339Nano) + `"}` },
		"seconds":       func(string) string { return fmt.Sprintf(`{"status":"paid","created_at":%d}`, n.Add(1)) },
		"moment and id": func(c string) string { return `{"id":"` + c + `","at":"` + time.Now().Format(time.RFC3339Nano) + `"}` },
		"request id":    func(c string) string { return fmt.Sprintf(`{"id":"%s","request_id":"r-%d"}`, c, n.Add(1)) },
		"only request":  func(c string) string { return fmt.Sprintf(`{"status":"paid","requestId":"r-%d"}`, n.Add(1)) },
		"a nonce":       func(c string) string { return fmt.Sprintf(`{"charge":"%s","x":"n%d"}`, c, n.Add(1)) },
		"pods":          func(c string) string { return fmt.Sprintf(`{"charge_id":"%s","by":"pod-%d"}`, c, n.Add(1)%3) },
		"took":          func(c string) string { return fmt.Sprintf(`{"id":"%s","took":"%s"}`, c, time.Since(begun)) },
		"a counter":     func(c string) string { return fmt.Sprintf(`{"id":"%s","answers":%d}`, c, n.Add(1)) },
		"list":          func(c string) string { return fmt.Sprintf(`{"charges":[{"id":"%s","seen":"%d-x"}]}`, c, n.Add(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			for orders := 4; orders < 30; orders += 5 {
				sound := func(r *inject.Run) http.Handler {
					s := newShop(r.Effect, &sync.Mutex{})
					s.answer = answer
					return s
				}
				if text := payAll(t, orders, sound, checkers.ExactlyOnce, checkers.SameAnswer); text != "" {
					t.Errorf("%d orders: %s", orders, text)
				}
			}
		})
	}
}

// TestOtherAnswers lets services that charge once answer as if they did not. Each
// is found by the answers alone.
func TestOtherAnswers(t *testing.T) {
	var n atomic.Int64
	for name, answer := range map[string]func(charge string) string{
		"another id":         func(string) string { return fmt.Sprintf(`{"id":"ch_%d"}`, n.Add(1)) },
		"another charge id":  func(string) string { return fmt.Sprintf(`{"charge_id":"ch_%d","at":1}`, n.Add(1)) },
		"another number":     func(string) string { return fmt.Sprintf(`{"orderNo":%d}`, n.Add(1)) },
		"another text":       func(string) string { return fmt.Sprintf("ch_%d", n.Add(1)) },
		"another unnamed id": func(string) string { return fmt.Sprintf(`{"charge":"ch_%d"}`, n.Add(1)) },
		"another balance":    func(string) string { return fmt.Sprintf(`{"balance":%d}`, n.Add(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := func(r *inject.Run) http.Handler {
				s := newShop(r.Effect, &sync.Mutex{})
				s.answer = answer
				return s
			}
			text := payAll(t, 20, wrong, checkers.SameAnswer)
			if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, "differ") && !strings.Contains(first, "its identical repeat") {
				t.Errorf("not found: %q", text)
			}
		})
	}
}

// TestSometimesAnotherAnswer lets a service that answers overlapping copies with
// ids of their own fail, and not only be inconclusive.
func TestSometimesAnotherAnswer(t *testing.T) {
	text := payAll(t, 20, func(r *inject.Run) http.Handler { return newShop(r.Effect, noLock{}) }, checkers.SameAnswer)
	if !strings.HasPrefix(text, "same-answer: order-") {
		t.Error(text)
	}
}

// TestMostlyKept accuses no service that keeps its answers, and made one anew under
// the same id: what belongs to a request names nothing, however often it stays.
func TestMostlyKept(t *testing.T) {
	for _, field := range []string{"request_id", "trace", "correlation"} {
		var n, made atomic.Int64
		kept := map[string]string{}
		text := payAll(t, 12, func(r *inject.Run) http.Handler {
			s := newShop(r.Effect, &sync.Mutex{})
			s.answer = func(c string) string {
				if kept[c] == "" || n.Add(1) == 3 {
					kept[c] = fmt.Sprintf(`{"charge_id":"%s","%s":"q7f-%d"}`, c, field, made.Add(1))
				}
				return kept[c]
			}
			return s
		}, checkers.ExactlyOnce, checkers.SameAnswer)
		if text != "" {
			t.Errorf("%s: %s", field, text)
		}
	}
}
