package main

import (
	"net"
	"path/filepath"
	"testing"
	"time"

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
	begin := time.Now()
	s.trade(t.Context(), 1000)
	t.Logf("%d requests, %v", s.sent.Load(), time.Since(begin))
	if err := s.harm(); err != nil {
		t.Error(err)
	}
}
