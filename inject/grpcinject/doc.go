// Package grpcinject strikes unary calls of gRPC with the faults of an inject.Run.
//
//	run := inject.Start(t, inject.Repeat, inject.Overlap, inject.LoseAnswer)
//	conn, err := grpc.NewClient(target, grpc.WithUnaryInterceptor(grpcinject.UnaryClientInterceptor(run)), ...)
//
// # The caller's side
//
// [UnaryClientInterceptor] delivers each call as the run decides. Its place is the
// last of the client's interceptors, so that one that tries again is tested.
//
// # The system's side
//
// [UnaryServerInterceptor] lets the run see on which goroutine a call is handled:
// there the kills strike.
//
// # Answers
//
// A call is recorded as a request over HTTP would be: POST and the method as its
// path, the message as JSON, and as status the HTTP status that google/rpc/code.proto
// gives for the code. So OK is ok; InvalidArgument, NotFound, AlreadyExists,
// PermissionDenied, Unauthenticated, FailedPrecondition, OutOfRange, Aborted and
// ResourceExhausted are refused; and Canceled, DeadlineExceeded, Unavailable,
// Internal, Unknown, DataLoss and Unimplemented are unknown: perhaps it was done.
//
// # What gRPC does by itself
//
// A retry policy of the service config, and the transparent retries of grpc-go, work
// below the interceptor: they do not see its faults, and all their tries are one
// attempt. grpc.WithDisableRetry turns the former off. Streams pass untouched.
//
// It works over bufconn. In a bubble of testing/synctest gRPC works as long as both
// sides and the connection are made in it.
package grpcinject
