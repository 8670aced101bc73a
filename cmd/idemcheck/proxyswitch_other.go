//go:build !unix

package main

import "github.com/idemcheck/idemcheck/internal/proxy"

// listenForSwitch does nothing: there are no signals for it here.
func listenForSwitch(*proxy.Proxy) (stop func()) { return func() {} }

// switchHint says how the repeats are switched off.
func switchHint(_ int, off string) string {
	if off == "" {
		return ""
	}
	return "; the file " + off + " switches them off"
}
