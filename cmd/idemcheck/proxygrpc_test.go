package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// note is the message of the service below.
type note = wrapperspb.StringValue

// shouter is a gRPC service: Shout answers once, Echo as often as it hears.
type shouter struct{ calls atomic.Int64 }

func (s *shouter) shout(ctx context.Context, in *note) (*note, error) {
	s.calls.Add(1)
	if in.Value == "" {
		return nil, status.Error(codes.InvalidArgument, "nothing to shout")
	}
	md, _ := metadata.FromIncomingContext(ctx)
	grpc.SetTrailer(ctx, metadata.Pairs("asked-by", strings.Join(md.Get("caller"), ",")))
	return wrapperspb.String(strings.ToUpper(in.Value)), nil
}

func echo(_ any, stream grpc.ServerStream) error {
	for {
		in := new(note)
		if err := stream.RecvMsg(in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(in); err != nil {
			return err
		}
	}
}

func (s *shouter) serve(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Shouter", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Shout", Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := new(note)
			if err := decode(in); err != nil {
				return nil, err
			}
			return s.shout(ctx, in)
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "Echo", Handler: echo, ServerStreams: true, ClientStreams: true}},
	}, s)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	return l.Addr().String()
}

// TestProxyGRPC holds that a gRPC client works through the proxy: one call is
// repeated, a stream is not.
func TestProxyGRPC(t *testing.T) {
	t.Chdir(t.TempDir())
	var service shouter
	p := stand(t, "--to", "h2c://"+service.serve(t), "--share", "100%", "--budget", "100000", "--fail", "never")
	conn, err := grpc.NewClient(strings.TrimPrefix(p.URL, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const calls = 20
	for n := range calls {
		unary(t, conn, fmt.Sprintf("word %d", n))
	}
	err = conn.Invoke(t.Context(), "/test.Shouter/Shout", wrapperspb.String(""), new(note))
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("an empty word: %v", err)
	}
	streamed(t, conn)
	conn.Close()
	p.end()
	if got := service.calls.Load(); got != 2*(calls+1) {
		t.Errorf("the service was called %d times; %d calls were sent, each should be repeated", got, calls+1)
	}
}

func unary(t *testing.T, conn *grpc.ClientConn, word string) {
	t.Helper()
	var out note
	var trailer metadata.MD
	ctx := metadata.AppendToOutgoingContext(t.Context(), "caller", word)
	err := conn.Invoke(ctx, "/test.Shouter/Shout", wrapperspb.String(word), &out, grpc.Trailer(&trailer))
	if err != nil || out.Value != strings.ToUpper(word) || strings.Join(trailer.Get("asked-by"), "") != word {
		t.Fatalf("%s: got %q, trailer %v, %v", word, out.Value, trailer, err)
	}
}

// streamed sends and hears in turn: a proxy that waits for the end of either would stop it.
func streamed(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/test.Shouter/Echo")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		sent, got := wrapperspb.String(fmt.Sprint(n)), new(note)
		if err := stream.SendMsg(sent); err != nil {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(got); err != nil || got.Value != sent.Value {
			t.Fatalf("sent %s, got %s, %v", sent.Value, got.Value, err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Error(err)
	}
	if err := stream.RecvMsg(new(note)); err != io.EOF {
		t.Errorf("the end of the stream is %v", err)
	}
}
