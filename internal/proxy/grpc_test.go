package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// bank is a service of gRPC: unary, and a stream both ways.
type bank struct{ calls, streams atomic.Int32 }

func (b *bank) desc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "shop.Bank", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Charge", Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := new(wrapperspb.StringValue)
			if err := decode(in); err != nil {
				return nil, err
			}
			if b.calls.Add(1); in.Value == "refused" {
				return nil, status.Error(codes.InvalidArgument, "no")
			}
			return wrapperspb.String("charged " + in.Value), nil
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "Talk", ServerStreams: true, ClientStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
			b.streams.Add(1)
			for {
				in := new(wrapperspb.StringValue)
				if err := s.RecvMsg(in); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := s.SendMsg(wrapperspb.String("heard " + in.Value)); err != nil {
					return err
				}
			}
		}}},
	}
}

// dialBank serves a bank behind a proxy and connects to it.
func dialBank(t *testing.T, set ...func(*proxy.Options)) (*bank, *proxy.Proxy, *grpc.ClientConn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b, server := &bank{}, grpc.NewServer()
	server.RegisterService(b.desc(), b)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	p := begin(t, "http://"+l.Addr().String(), set...)
	conn, err := grpc.NewClient(strings.TrimPrefix(p.URLs()[0], "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return b, p, conn
}

func TestUnaryCallsAreRepeated(t *testing.T) {
	b, p, conn := dialBank(t)
	out := new(wrapperspb.StringValue)
	if err := conn.Invoke(t.Context(), "/shop.Bank/Charge", wrapperspb.String("five"), out); err != nil || out.Value != "charged five" {
		t.Fatal(out, err)
	}
	if err := conn.Invoke(t.Context(), "/shop.Bank/Charge", wrapperspb.String("refused"), out); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
	conn.Close()
	finish(t, p)
	if n := b.calls.Load(); n != 4 {
		t.Errorf("%d calls", n)
	}
	if r := p.Report(); r.Repeats != 2 {
		t.Errorf("%d repeats, %v", r.Repeats, r.Notes)
	}
}

// An answer without a message ends with its headers, or clients do not understand it.
func TestRefusedCalls(t *testing.T) {
	_, _, conn := dialBank(t)
	for range 200 {
		if err := conn.Invoke(t.Context(), "/shop.Bank/Charge", wrapperspb.String("refused"), new(wrapperspb.StringValue)); status.Code(err) != codes.InvalidArgument {
			t.Fatal(err)
		}
	}
}

// Each message of a stream comes when it is sent, and a stream is never repeated.
func TestStreamsAreUntouched(t *testing.T) {
	for _, f := range []string{"repeat", "overlap", "lose-answer"} {
		b, p, conn := dialBank(t, fault(f))
		s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/shop.Bank/Talk")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			out := new(wrapperspb.StringValue)
			if err := errors.Join(s.SendMsg(wrapperspb.String("x")), s.RecvMsg(out)); err != nil || out.Value != "heard x" {
				t.Fatal(out, err)
			}
		}
		if err := errors.Join(s.CloseSend()); err != nil {
			t.Fatal(err)
		}
		if err := s.RecvMsg(new(wrapperspb.StringValue)); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		conn.Close()
		finish(t, p)
		if n := b.streams.Load(); n != 1 {
			t.Errorf("%s: %d streams", f, n)
		}
		if r := p.Report(); r.Repeats != 0 || f == "repeat" && r.Routes[0].Streamed != 1 {
			t.Errorf("%s: %+v", f, r.Routes)
		}
	}
}

// Faults that would hold an answer back leave gRPC alone.
func TestUnaryCallsAreNotHidden(t *testing.T) {
	b, p, conn := dialBank(t, fault("lose-answer"), rules(settings.Rule{}))
	out := new(wrapperspb.StringValue)
	if err := conn.Invoke(t.Context(), "/shop.Bank/Charge", wrapperspb.String("five"), out); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	finish(t, p)
	if n := b.calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}
