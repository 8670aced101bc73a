//go:build !unix

package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

var errNoPause = errors.New("pause needs SIGSTOP, which this system has not: leave out what pauses a worker")

func ownGroup(*exec.Cmd) {}

// signalGroup knows only the first process, and only its end.
func signalGroup(p *os.Process, _ syscall.Signal) error { return p.Kill() }

func waitEnd(c *exec.Cmd) { _ = c.Wait() }

func groupGone(int) bool { return true }

func (p *process) terminate() { _ = p.signal(syscall.SIGKILL) }

func (p *process) pause() error  { return errNoPause }
func (p *process) resume() error { return errNoPause }
