//go:build linux || darwin

package worker

import (
	"os/exec"
	"syscall"
	"unsafe"
)

// waitEnd returns when the process has ended and leaves it unreaped: so long its
// number, and that of its group, can not become another's.
func waitEnd(c *exec.Cmd) {
	const (
		byPid  = 1
		exited = 0x4
	)
	var info [128]byte // a siginfo_t, which nobody reads
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byPid, uintptr(c.Process.Pid), uintptr(unsafe.Pointer(&info)), exited|noReap, 0, 0)
		if err != syscall.EINTR {
			return
		}
	}
}
