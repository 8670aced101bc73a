//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/idemcheck/idemcheck/internal/proxy"
)

// listenForSwitch switches the repeats off on SIGUSR1, on again on SIGUSR2.
func listenForSwitch(p *proxy.Proxy) (stop func()) {
	signals := make(chan os.Signal, 8)
	ended := make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		defer close(ended)
		for s := range signals {
			p.Switch(s == syscall.SIGUSR2)
		}
	}()
	return func() { signal.Stop(signals); close(signals); <-ended }
}

// switchHint says how the repeats are switched off.
func switchHint(pid int, off string) string {
	hint := fmt.Sprintf("; kill -USR1 %d switches them off, -USR2 on", pid)
	if off != "" {
		hint += "; so does the file " + off
	}
	return hint
}
