package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/report"
)

// drainTime bounds how long a proxy that ends waits for what is on its way.
const drainTime = 30 * time.Second

// during returns when the proxy has stood long enough. The error is that of the
// command that was run meanwhile.
func (f *proxyFlags) during(ctx context.Context, cmd *cobra.Command, p *proxy.Proxy, args []string) error {
	if f.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	if len(args) == 0 {
		<-ctx.Done()
		return nil
	}
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.Env = append(os.Environ(), "IDEMCHECK_PROXY="+callable(p.URLs()[0]))
	run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.ErrOrStderr(), cmd.ErrOrStderr() // the report alone is on stdout
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 10 * time.Second
	err := run.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s had not ended after %v, and was interrupted", args[0], f.time)
	}
	return fmt.Errorf("%s: %w", args[0], err)
}

// callable is a URL that can be called: the address that stands for all is not.
func callable(listens string) string {
	return strings.NewReplacer("//[::]:", "//127.0.0.1:", "//0.0.0.0:", "//127.0.0.1:").Replace(listens)
}

// drain lets what is on its way end. A second signal ends it at once.
func drain(cmd *cobra.Command, p *proxy.Proxy) error {
	if cmd.Context().Err() != nil {
		signal.Reset(os.Interrupt, syscall.SIGTERM)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), drainTime)
	defer cancel()
	return p.Drain(ctx)
}

// conclude prints what was learned, and turns it into an exit code.
func (f *proxyFlags) conclude(out io.Writer, p *proxy.Proxy, failed error) error {
	r := p.Report()
	var err error
	if f.output == "json" {
		err = r.JSON(out)
	} else {
		file, ok := out.(*os.File)
		err = r.Text(out, ok && report.Color(file))
	}
	if err != nil {
		return err
	}
	if failed != nil {
		return &exitError{exitFail, failed}
	}
	if code := r.Exit(f.fail); code != exitPass && f.fail != "never" {
		return &exitError{code: code}
	}
	return nil
}
