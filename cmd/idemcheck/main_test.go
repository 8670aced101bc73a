package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idemcheck/idemcheck/fixtures/payments"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idemcheck": main, "shop": shopMain})
}

// TestScripts runs the command as users do; testdata/script holds what it must print.
// -update writes the golden parts anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
	})
}

// commands are what the scripts can do beside testscript's own.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":    exits,
	"payments": startPayments,
	"server":   startServer,
	"steady":   steady,
	"freeport": freePort,
	"waitfor":  waitFor,
	"port":     port,
	"refused":  refused,
}

// port sets a variable to the port of an address: port NAME ADDRESS.
func port(ts *testscript.TestScript, _ bool, args []string) {
	_, p, err := net.SplitHostPort(args[1])
	ts.Check(err)
	ts.Setenv(args[0], p)
}

// freePort sets a variable to an address on loopback that is free.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], unusedAddress())
}

// refused demands that nothing listens on an address.
func refused(ts *testscript.TestScript, _ bool, args []string) {
	if c, err := net.Dial("tcp", args[0]); err == nil {
		c.Close()
		ts.Fatalf("something listens on %s", args[0])
	}
}

// waitFor waits until a URL answers, for at most 20 s.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(20 * time.Second); ; {
		resp, err := http.Get(args[0])
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not answer: %v", args[0], err)
		}
		runtime.Gosched()
	}
}

// exits runs idemcheck and demands an exit code: exits CODE ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARG...")
	}
	got := "0"
	if err := ts.Exec("idemcheck", args[1:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// startPayments runs a payments service for the rest of the script: payments
// [DEFECT [alone]]. TARGET is its address, DB its database, PROVIDER where it
// expects its card provider; alone it has none.
func startPayments(ts *testscript.TestScript, _ bool, args []string) {
	address := unusedAddress() // the stand-in of the run takes it
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	cfg := payments.Config{DSN: ts.MkAbs("payments.db"), Provider: "http://" + address}
	if len(args) > 0 {
		cfg.Defect = args[0]
	}
	if len(args) > 1 {
		cfg.Provider = ""
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- payments.Serve(ctx, l, cfg) }()
	ts.Defer(func() { stop(); <-served })
	ts.Check(ready("http://" + l.Addr().String() + "/healthz"))
	ts.Setenv("TARGET", "http://"+l.Addr().String())
	ts.Setenv("DB", "sqlite:"+cfg.DSN)
	ts.Setenv("PROVIDER", address)
}

// startServer runs a server that behaves badly for the rest of the script.
func startServer(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "none" {
		ts.Setenv("TARGET", "http://"+unusedAddress())
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("TARGET", "http://"+l.Addr().String())
	quit := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go misbehave(c, args[0], quit)
		}
	}()
	ts.Defer(func() { close(quit); l.Close(); <-done })
}

// misbehave answers one connection; what begins with "then-" does so from the second request on.
func misbehave(c net.Conn, how string, quit chan struct{}) {
	defer c.Close()
	buf := make([]byte, 64<<10)
	if n, _ := c.Read(buf); n == 0 {
		return
	}
	switch how {
	case "garbage":
		fmt.Fprint(c, "\x00\x01 this is no HTTP\r\n\r\n")
	case "reset":
		c.(*net.TCPConn).SetLinger(0)
	case "silent":
		<-quit
	case "redirect":
		fmt.Fprint(c, "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://shop.example/v2/charges\r\nContent-Length: 0\r\n\r\n")
	case "stream":
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for {
			select {
			case <-quit:
				return
			default:
			}
			if _, err := fmt.Fprintf(c, "1000\r\n%s\r\n", strings.Repeat("x", 0x1000)); err != nil {
				return
			}
		}
	case "broken":
		fmt.Fprint(c, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 17\r\n\r\nno database today")
	case "denied":
		fmt.Fprint(c, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 22\r\n\r\n{\"error\":\"who is it?\"}")
	}
}

// steady replaces in a file what differs from run to run: addresses, times, ids.
func steady(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, name := range []string{"TARGET", "PROVIDER", "WORK"} {
		if v := ts.Getenv(name); v != "" {
			text = strings.ReplaceAll(text, v, "$"+name)
			text = strings.ReplaceAll(text, strings.TrimPrefix(v, "http://"), "$"+name)
		}
	}
	for _, p := range unsteady {
		text = p.form.ReplaceAllString(text, p.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(filepath.Base(args[1])), []byte(text), 0o644))
}
