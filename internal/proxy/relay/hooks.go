package relay

import (
	"context"
	"io"
	"net"
	"time"
)

// Hooks are what a Server asks and tells about one connection of a caller. Begin
// and End are called by one goroutine, in turn.
type Hooks interface {
	// Dial opens a connection to the service: before the first request, and
	// again when the service has closed the one before. Nothing was sent then.
	Dial(ctx context.Context) (net.Conn, error)
	// Begin is called when the head of a request has come and the start of its
	// body, and nothing was sent yet. Nil: the request is relayed untouched.
	Begin(r *Request) *Act
	// End is called once for each Begin: the answer was relayed, or the exchange
	// failed (a.Err). What r and a hold is valid only until it returns.
	End(r *Request, a *Answer, act *Act)
}

// A Request is what is known of a request when it begins. Its slices are valid
// until End has returned, and must not be changed.
type Request struct {
	Method, Target, Host []byte

	Head   []byte // as it came, with the empty line
	Length int64  // of the body: as announced; -1 if chunked

	// Peek is the start of the body without chunk framing, at most MaxPeek bytes.
	// It does not depend on how the packets were cut, unless PeekCut.
	Peek    []byte
	PeekAll bool // Peek is the whole body
	PeekCut bool // the caller was slow: there is more to come within MaxPeek bytes

	Start time.Time // when its head was read
	Sent  int64     // bytes of the body that went to the service, as framed; known in End

	close bool // no other request follows
}

// MaxPeek is how much of a body Begin sees.
const MaxPeek = 4 << 10

// Header is the value of the first field of that name.
func (r *Request) Header(name string) ([]byte, bool) { return field(r.Head, name) }

// An Answer is the final answer to a request, after any 1xx.
type Answer struct {
	Status  int    // 0: there was none
	Head    []byte // as it came, with the empty line
	Length  int64  // bytes of its body that came, as framed
	Chunked bool
	ToEnd   bool // the body ends with the connection
	Whole   bool // it was read to its end
	SentAll bool // the request was wholly sent
	Given   bool // the caller's connection took all of it
	Err     error

	First, Took time.Duration // to the first and to the last byte, from the request's Start

	length int64 // announced; -1 if not
	close  bool  // no other answer follows
	old    bool  // HTTP/1.0
}

// Header is the value of the first field of that name.
func (a *Answer) Header(name string) ([]byte, bool) { return field(a.Head, name) }

// An Act is what is done with one request. The functions may be called by another
// goroutine than Begin and End, between them.
type Act struct {
	// Request and Answer get the bytes as they are framed, head and body, without
	// 1xx answers, before they are sent on. Their errors are not looked at.
	Request, Answer io.Writer

	Delay time.Duration // before the first byte is sent

	Hold func() // all but the last byte was sent, Request has that too; it goes when Hold returns
	Sent func() // the request was wholly sent

	// The answer is read to its end, and then the caller sees its connection
	// reset (Lose), or these bytes instead (Replace).
	Lose    bool
	Replace []byte

	Odd bool // the connection goes to Server.Odd, with this request unsent; End is not called
}
