//go:build unix

package observe

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the end of a command that of all processes that it started.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
