package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/idemcheck/idemcheck/fixtures/payments"
)

// TestShop holds that the traffic itself is harmless: the sound service answers each caller's own.
func TestShop(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- payments.Serve(t.Context(), l, payments.Config{DSN: filepath.Join(t.TempDir(), "p.db")})
	}()
	s := &shop{URL: "http://" + l.Addr().String(), Seed: 1, Callers: 16}
	s.trade(t.Context(), 1000)
	if err := s.harm(); err != nil {
		t.Error(err)
	}
}

// shopMain is the shop as a command of its own, as scripts run it: shop REQUESTS.
// Where to is in IDEMCHECK_PROXY.
func shopMain() {
	n, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err == nil {
		s := &shop{URL: os.Getenv("IDEMCHECK_PROXY"), Seed: 1, Callers: 8}
		s.trade(context.Background(), n)
		err = s.harm()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
