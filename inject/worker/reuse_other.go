//go:build !unix

package worker

import "syscall"

func reuseAddress(_, _ string, _ syscall.RawConn) error { return nil }
