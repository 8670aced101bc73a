//go:build unix && !linux

package worker

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup has no signal for the death of the tool to give: there is only the journal.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// groupGone takes the refusal that a group of dead processes gives for gone.
func groupGone(group int) bool { return syscall.Kill(-group, 0) != nil }

// groupStands asks ps for the first process; the others were sent the same signal.
func groupStands(group int, _ bool) bool {
	state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(group)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(state)), "T")
}
