package grpcinject

import (
	"context"
	"errors"
	"net/http"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// httpStatuses are those of google/rpc/code.proto.
var httpStatuses = map[codes.Code]int{
	codes.OK:                 200,
	codes.Canceled:           499,
	codes.Unknown:            500,
	codes.InvalidArgument:    400,
	codes.DeadlineExceeded:   504,
	codes.NotFound:           404,
	codes.AlreadyExists:      409,
	codes.PermissionDenied:   403,
	codes.ResourceExhausted:  429,
	codes.FailedPrecondition: 400,
	codes.Aborted:            409,
	codes.OutOfRange:         400,
	codes.Unimplemented:      501,
	codes.Internal:           500,
	codes.Unavailable:        503,
	codes.DataLoss:           500,
	codes.Unauthenticated:    401,
}

func httpStatus(c codes.Code) int {
	if s, ok := httpStatuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// codeOf is a code that has this status, or that a client of gRPC makes of it.
func codeOf(httpStatus int) codes.Code {
	switch httpStatus {
	case 400:
		return codes.InvalidArgument
	case 401:
		return codes.Unauthenticated
	case 403:
		return codes.PermissionDenied
	case 404:
		return codes.NotFound
	case 409:
		return codes.Aborted
	case 429:
		return codes.ResourceExhausted
	case 499:
		return codes.Canceled
	case 500:
		return codes.Internal
	case 501:
		return codes.Unimplemented
	case 502, 503:
		return codes.Unavailable
	case 504:
		return codes.DeadlineExceeded
	}
	return codes.Unknown
}

// failure is the error of a call that was not made, or whose answer was lost.
func failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return &lost{err}
	case ctx.Err() != nil:
		return status.FromContextError(ctx.Err()).Err()
	}
	return status.Error(codes.Internal, err.Error())
}

// lost is a connection that broke, as gRPC tells of it.
type lost struct{ cause error }

func (l *lost) Error() string { return l.GRPCStatus().Err().Error() }
func (l *lost) Unwrap() error { return l.cause }

// GRPCStatus is what status.FromError and status.Code look for.
func (l *lost) GRPCStatus() *status.Status { return status.New(codes.Unavailable, l.cause.Error()) }
