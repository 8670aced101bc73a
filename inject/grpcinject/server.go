package grpcinject

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/idemcheck/idemcheck/inject"
)

// attemptName is the metadata by which a client of the run says whose attempt a
// call is: the id and the number.
const attemptName = "idemcheck-attempt"

// UnaryServerInterceptor runs the handlers of the calls that come from
// [UnaryClientInterceptor] of the same run where it can kill them: KillBefore and
// KillAfter end the goroutine at [inject.Run.Effect], deferred functions run, and the
// caller gets Unavailable. Its place is the first of the server's interceptors. Calls
// of others pass untouched, as all do with a nil run.
func UnaryServerInterceptor(run *inject.Run) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
		id, number, ok := received(ctx)
		if run == nil || !ok {
			return handler(ctx, req)
		}
		err = errors.New("the handler did not return")
		killed := run.Handle(ctx, id, number, func(ctx context.Context) { reply, err = handler(ctx, req) })
		if killed != nil {
			return nil, status.Error(codes.Unavailable, killed.Error())
		}
		return reply, err
	}
}

// sent is a context that says whose attempt it is.
func sent(ctx context.Context) context.Context {
	id, number := inject.Attempt(ctx)
	if id == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, attemptName, fmt.Sprintf("%d %+q", number, id))
}

// received reads what sent wrote.
func received(ctx context.Context) (id string, number int, ok bool) {
	values := metadata.ValueFromIncomingContext(ctx, attemptName)
	if len(values) == 0 {
		return "", 0, false
	}
	text, quoted, _ := strings.Cut(values[len(values)-1], " ")
	number, err := strconv.Atoi(text)
	id, unquoted := strconv.Unquote(quoted)
	return id, number, err == nil && unquoted == nil
}
