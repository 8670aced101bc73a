package worker

import (
	"errors"
	"os/exec"
	"syscall"
)

func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// groupGone reports whether no process of the group can run any more. One that
// is dead and that its parent never waits for is gone, too.
func groupGone(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return true
	}
	for _, pid := range pids() {
		if s, ok := readStat(pid); ok && s.group == group && !s.dead() {
			return false
		}
	}
	return true
}

// groupStands reports whether every thread of the group is stopped. Patient, it
// takes one in an uninterruptible sleep for stopped: it wakes into the stop.
func groupStands(group int, patient bool) bool {
	for _, pid := range pids() {
		if s, ok := readStat(pid); ok && s.group == group && !stands(pid, patient) {
			return false
		}
	}
	return true
}
