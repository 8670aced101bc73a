package grpcinject

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// charger is the method of a service.
type charger interface {
	charge(ctx context.Context, req *structpb.Struct) (*structpb.Struct, error)
}

const method = "/shop.Shop/Charge"

var service = grpc.ServiceDesc{ServiceName: "shop.Shop", HandlerType: (*charger)(nil), Methods: []grpc.MethodDesc{{
	MethodName: "Charge",
	Handler: func(srv any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		req := new(structpb.Struct)
		if err := decode(req); err != nil {
			return nil, err
		}
		handle := func(ctx context.Context, req any) (any, error) {
			return srv.(charger).charge(ctx, req.(*structpb.Struct))
		}
		if interceptor == nil {
			return handle(ctx, req)
		}
		return interceptor(ctx, req, &grpc.UnaryServerInfo{Server: srv, FullMethod: method}, handle)
	},
}}}

// serve runs a server in memory, and connects to it.
func serve(t inject.TB, run *inject.Run, c charger, opts ...grpc.DialOption) *grpc.ClientConn {
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.UnaryInterceptor(UnaryServerInterceptor(run)))
	server.RegisterService(&service, c)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	opts = append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithUnaryInterceptor(UnaryClientInterceptor(run)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	conn, err := grpc.NewClient("passthrough:shop", opts...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		<-ended
	})
	return conn
}

func ask(ctx context.Context, conn *grpc.ClientConn, order string, amount float64, opts ...grpc.CallOption) (*structpb.Struct, error) {
	req, err := structpb.NewStruct(map[string]any{"amount": amount, "order": order})
	if err != nil {
		return nil, err
	}
	answer := new(structpb.Struct)
	return answer, conn.Invoke(ctx, method, req, answer, opts...)
}

// chargerFunc is a service that is a function.
type chargerFunc func(ctx context.Context, order string, amount float64) (string, error)

func (f chargerFunc) charge(ctx context.Context, req *structpb.Struct) (*structpb.Struct, error) {
	charge, err := f(ctx, req.Fields["order"].GetStringValue(), req.Fields["amount"].GetNumberValue())
	if err != nil {
		return nil, err
	}
	return structpb.NewStruct(map[string]any{"charge": charge})
}

// always strikes the first attempt of each operation.
func always(fs ...inject.Fault) inject.Options {
	return inject.Options{Faults: fs, Schedule: func(s inject.Site) []inject.Fault {
		if s.Name == inject.SiteRequest && s.Attempt == 1 {
			return fs
		}
		return nil
	}}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault inject.Fault
		seen  string     // by the service
		code  codes.Code // by the caller
		ends  string     // in the history
	}{
		{inject.LoseRequest, "", codes.Unavailable, "unknown reset"},
		{inject.LoseAnswer, "5", codes.Unavailable, "unknown reset"},
		{inject.ReplaceAnswer, "5", codes.Unavailable, "unknown 502"},
		{inject.Fault{Name: "replace-answer", Arg: "409"}, "5", codes.Aborted, "refused 409"},
		{inject.Fault{Name: "delay", Arg: "1ms"}, "5", codes.OK, "ok 200"},
		{inject.Repeat, "5 5", codes.OK, "ok 200, ok 200"},
		{inject.Overlap, "5 5", codes.OK, "ok 200, ok 200"},
		{inject.Late, "5 5", codes.OK, "ok 200, ok 200"},
		{inject.ChangePayload, "5 6", codes.OK, "ok 200, ok 200"},
		{inject.Reencode, "5 5", codes.OK, "ok 200, ok 200"},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			var mu sync.Mutex
			var seen []string
			run := always(c.fault).Start(t)
			conn := serve(t, run, chargerFunc(func(_ context.Context, order string, amount float64) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, fmt.Sprint(amount))
				return "ch_" + order, nil
			}))
			for order := range run.IDs(1) {
				answer, err := ask(t.Context(), conn, order, 5)
				if status.Code(err) != c.code {
					t.Errorf("%v, want %v", err, c.code)
				}
				if charge := answer.Fields["charge"].GetStringValue(); (charge == "ch_order-1") != (c.code == codes.OK) {
					t.Errorf("the caller got %q", charge)
				}
				if lost := strings.HasPrefix(c.fault.Name, "lose"); errors.Is(err, syscall.ECONNRESET) != lost {
					t.Errorf("%v", err)
				}
			}
			h := run.History()
			if got := strings.Join(seen, " "); got != c.seen {
				t.Errorf("the service saw %q, want %q", got, c.seen)
			}
			if got := ends(h); got != c.ends {
				t.Errorf("recorded %q, want %q", got, c.ends)
			}
			if n := checkers.Judge(h, contract.Contract{}).Faults; n != 1 {
				t.Errorf("%d faults", n)
			}
		})
	}
}

func ends(h history.History) string {
	var all []string
	for _, e := range h.Events {
		if e.Kind == history.OK || e.Kind == history.Refused || e.Kind == history.Unknown {
			all = append(all, string(e.Kind)+" "+e.Status)
		}
	}
	return strings.Join(all, ", ")
}

// What each code says of what was done.
func TestCodes(t *testing.T) {
	run := inject.Start(t)
	conn := serve(t, run, chargerFunc(func(_ context.Context, _ string, amount float64) (string, error) {
		return "", status.Error(codes.Code(amount), "no")
	}))
	want := map[history.Kind]string{history.OK: "0", history.Refused: "3 5 6 7 8 9 10 11 16", history.Unknown: "1 2 4 12 13 14 15"}
	got := map[history.Kind]string{}
	code := 0
	for order := range run.IDs(17) {
		_, err := ask(t.Context(), conn, order, float64(code))
		if status.Code(err) != codes.Code(code) || err != nil && status.Convert(err).Message() != "no" {
			t.Errorf("code %d: %v", code, err)
		}
		code++
	}
	code = 0
	for _, e := range run.History().Events {
		if e.Kind == history.OK || e.Kind == history.Refused || e.Kind == history.Unknown {
			got[e.Kind] = strings.TrimSpace(got[e.Kind] + fmt.Sprint(" ", code))
			code++
		}
	}
	for kind, codes := range want {
		if got[kind] != codes {
			t.Errorf("%s: %s, want %s", kind, got[kind], codes)
		}
	}
}

// till charges once for each order, or not.
type till struct {
	effect func(string)
	sound  bool
	mu     sync.Mutex
	done   map[string]bool
}

func (l *till) charge(_ context.Context, req *structpb.Struct) (*structpb.Struct, error) {
	order := req.Fields["order"].GetStringValue()
	if l.sound {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	if !l.is(order) {
		if l.sound {
			l.done[order] = true
		}
		l.effect(order)
		l.set(order)
	}
	return structpb.NewStruct(map[string]any{"charge": "ch_" + order})
}

func (l *till) is(order string) bool {
	if !l.sound {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	return l.done[order]
}

func (l *till) set(order string) {
	if !l.sound {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	l.done[order] = true
}

func pay(conn *grpc.ClientConn, order string) (err error) {
	for range 4 {
		if _, err = ask(context.Background(), conn, order, 5); err == nil {
			return nil
		}
	}
	return err
}

func judge(t *testing.T, f inject.Fault, sound bool) checkers.Verdict {
	run := always(f).Start(t)
	conn := serve(t, run, &till{effect: run.Effect, sound: sound, done: map[string]bool{}})
	for order := range run.IDs(4) {
		if err := pay(conn, order); err != nil {
			t.Error(err)
		}
	}
	return checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce).Verdict()
}

func TestBrokenAndSound(t *testing.T) {
	for _, f := range []inject.Fault{inject.Overlap, inject.KillAfter} {
		for i := range 20 {
			if v := judge(t, f, false); v != checkers.Fail {
				t.Fatalf("%s, broken, %d: %s", f, i, v)
			}
			if v := judge(t, f, true); v != checkers.Pass {
				t.Fatalf("%s, sound, %d: %s", f, i, v)
			}
		}
	}
}

// A bubble has the client, the server and the connection.
func TestInBubble(t *testing.T) {
	for _, sound := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			if v := judge(t, inject.Overlap, sound); (v == checkers.Pass) != sound || v == checkers.Inconclusive {
				t.Errorf("sound %v: %s", sound, v)
			}
		})
	}
}

// A retry policy works below the interceptor: its tries are one attempt.
func TestRetryPolicy(t *testing.T) {
	const policy = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`
	for _, disabled := range []bool{false, true} {
		run, calls := inject.Start(t), 0
		opts := []grpc.DialOption{grpc.WithDefaultServiceConfig(policy)}
		if disabled {
			opts = append(opts, grpc.WithDisableRetry())
		}
		conn := serve(t, run, chargerFunc(func(context.Context, string, float64) (string, error) {
			calls++
			if calls < 3 {
				return "", status.Error(codes.Unavailable, "not yet")
			}
			return "ch_1", nil
		}), opts...)
		for order := range run.IDs(1) {
			_, err := ask(t.Context(), conn, order, 5)
			want, tries := "ok 200", 3
			if disabled {
				want, tries = "unknown 503", 1
			}
			if got := ends(run.History()); got != want || calls != tries || (err == nil) == disabled {
				t.Errorf("disabled %v: %q, %d calls, %v", disabled, got, calls, err)
			}
		}
	}
}

// What a server sends besides comes from the call whose answer the caller gets.
func TestHeaders(t *testing.T) {
	run := always(inject.Overlap).Start(t)
	conn := serve(t, run, chargerFunc(func(ctx context.Context, order string, _ float64) (string, error) {
		key := metadata.ValueFromIncomingContext(ctx, "idempotency-key")
		return "ch_" + order, errors.Join(grpc.SetHeader(ctx, metadata.Pairs("a", key[0])), grpc.SetTrailer(ctx, metadata.Pairs("b", "2")))
	}))
	for order := range run.IDs(1) {
		var header, trailer metadata.MD
		ctx := metadata.AppendToOutgoingContext(t.Context(), "idempotency-key", "k1")
		if _, err := ask(ctx, conn, order, 5, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(header.Get("a"), trailer.Get("b")) != "[k1] [2]" {
			t.Error(header, trailer)
		}
	}
	for _, e := range run.History().Events {
		if e.Kind == history.Invoke && e.Key != "k1" {
			t.Errorf("%+v", e)
		}
	}
}

// A deadline of the caller is told as gRPC does.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := always(inject.Fault{Name: "delay", Arg: "1h"}).Start(t)
		conn := serve(t, run, chargerFunc(func(context.Context, string, float64) (string, error) { return "", nil }))
		for order := range run.IDs(1) {
			ctx, cancel := context.WithTimeout(t.Context(), 60e9)
			defer cancel()
			if _, err := ask(ctx, conn, order, 5); status.Code(err) != codes.DeadlineExceeded {
				t.Error(err)
			}
		}
		_ = run.History()
	})
}
