package inject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// Transport wraps next so that a schedule's faults strike what goes through it.
//
//	lose-request    nothing is sent; the caller sees a reset
//	lose-answer     the exchange is finished; the caller sees a reset
//	replace-answer  the exchange is finished; the caller sees the status in Arg (502)
//	delay           it is sent later by Arg (50 ms), or not at all if the caller gives up before
//	repeat          after the answer the same is sent once more
//	change-payload  after the answer a copy with one changed field (Arg: which) is sent under the same key
//	reencode        after the answer a copy that means the same in other bytes is sent
//	overlap         two copies are sent at once; the caller gets a 2xx if one of them does
//	late            Arg (100 ms) after the answer the same is sent once more, in the background
//
// Faults of one site are combined. The answers to copies are read, recorded and
// dropped; a copy is never struck by a fault itself. What cannot be done (another
// fault, a body with no field to change) is an error of RoundTrip, and then
// nothing is sent; so nothing that was asked for is left out in silence.
//
// The schedule is asked once for each request of the caller, with the site
// "request", the number that [Numbered] put into the context, and the attempt
// counted for this number. Without one, the number is a hash of the header
// Idempotency-Key, else of method, path and body.
//
// rec may be nil. It gets an invoke before each copy is sent, an ok, refused or
// unknown after its last byte came, and a fault when one has fired. Op is the
// number as text, without one the key, else method, path and hash; Name is method
// and path; Attempt counts the copies of one Op. A caller that knows better
// rewrites them in rec. With rec set, answers are read whole before the caller
// gets them.
//
// The request that next gets cannot be sent again by net/http: on a reused
// connection that breaks, it would repeat a POST that has a key without a word.
// CloseIdleConnections (also by way of http.Client) waits for late copies.
func Transport(next http.RoundTripper, s Schedule, rec func(history.Event, []byte) int64) http.RoundTripper {
	return &transport{next: next, keeper: &plainKeeper{schedule: s, rec: rec, seen: map[int]*counts{}}}
}

type transport struct {
	next   http.RoundTripper
	keeper keeper
	late   sync.WaitGroup
}

type numberKey struct{}

// Numbered tells Transport the number of the operation that requests with this
// context are attempts of.
func Numbered(ctx context.Context, number int) context.Context {
	return context.WithValue(ctx, numberKey{}, number)
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	s, err := t.newShot(r)
	if err != nil {
		return nil, err
	}
	if !s.known {
		return t.next.RoundTrip(s.copy(s.body))
	}
	if f, ok := s.has(Delay); ok {
		if !sleep(r.Context(), f.duration(50*time.Millisecond)) {
			return s.neverSent(f, r.Context().Err()) // the caller gave up
		}
		s.fired(f)
	}
	if f, ok := s.has(LoseRequest); ok {
		return s.neverSent(f, errReset(f))
	}
	resp, err := s.first()
	for _, f := range []Fault{Repeat, ChangePayload, Reencode} {
		if f, ok := s.has(f); ok {
			s.again(f)
		}
	}
	if f, ok := s.has(Late); ok && !t.keeper.later(f, func() { s.lateCopy(f) }) {
		t.late.Go(func() {
			time.Sleep(f.duration(100 * time.Millisecond))
			s.lateCopy(f)
		})
	}
	return resp, err
}

func (s *shot) lateCopy(f Fault) {
	s.request = s.request.WithContext(context.WithoutCancel(s.request.Context()))
	s.again(f)
}

// CloseIdleConnections waits for late copies and passes on to next.
func (t *transport) CloseIdleConnections() {
	t.late.Wait()
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// shot is one request of the caller, with what is to be done to it.
type shot struct {
	t       *transport
	request *http.Request
	body    []byte
	changed []byte // the body of the copy that change-payload sends
	reenc   []byte // the body of the copy that reencode sends
	variant string // what change-payload changed
	number  int
	known   bool       // it is an attempt of an operation; else it passes
	op, key string     // the operation's id
	name    string     // of the operation
	of      *operation // nil without a Run
	attempt int        // of the caller
	faults  []Fault
}

func (t *transport) newShot(r *http.Request) (*shot, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	s := &shot{t: t, request: r, body: body, key: r.Header.Get("Idempotency-Key")}
	if err := t.keeper.open(s); err != nil {
		return nil, err
	}
	return s, nil
}

// prepare makes the changed bodies and refuses what cannot be done.
func (s *shot) prepare() error {
	for _, f := range s.faults {
		if err := f.Check(); err != nil {
			return err
		}
		ok := true
		switch f.Name {
		case ChangePayload.Name:
			if s.changed, s.variant, ok = ChangeJSON(s.body, f.Arg); !ok {
				s.changed, s.variant, ok = s.changeForm(f.Arg)
			}
		case Reencode.Name:
			s.reenc, ok = ReencodeJSON(s.body, f.Arg != "")
		default:
			if !has(inRun[SiteRequest], f) || s.of == nil && kills(f) {
				return fmt.Errorf("fault %s cannot be carried by Transport", f)
			}
		}
		if !ok {
			return fmt.Errorf("fault %s: the body of %s has nothing to change", f, s.line())
		}
	}
	return nil
}

func (s *shot) changeForm(name string) ([]byte, string, bool) {
	if s.request.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return s.body, "", false
	}
	return ChangeForm(s.body, name)
}

func (s *shot) line() string { return s.request.Method + " " + s.request.URL.Path }

// has finds a fault by its name, with its argument.
func (s *shot) has(f Fault) (Fault, bool) { return named(s.faults, f) }

func named(fs []Fault, f Fault) (Fault, bool) {
	i := slices.IndexFunc(fs, func(g Fault) bool { return g.Name == f.Name })
	if i < 0 {
		return f, false
	}
	return fs[i], true
}

// once is a body that cannot be made again. It is never nil nor http.NoBody, not
// even when empty: net/http takes a request without a body as one to send again.
type once struct{ *bytes.Reader }

func (once) Close() error { return nil }

func (s *shot) copy(body []byte) *http.Request {
	return withBody(s.request, s.request.Context(), body)
}

// readBody takes the body of a request that is sent, and closes it.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	b, err := io.ReadAll(r.Body)
	return b, errors.Join(err, r.Body.Close())
}
