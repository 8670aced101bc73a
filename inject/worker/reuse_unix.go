//go:build unix

package worker

import "syscall"

func reuseAddress(_, _ string, c syscall.RawConn) (err error) {
	failed := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
	if failed != nil {
		return failed
	}
	return err
}
