//go:build unix

package worker

import (
	"errors"
	"os"
	"syscall"
)

func signalGroup(p *os.Process, s syscall.Signal) error { return syscall.Kill(-p.Pid, s) }

func (p *process) terminate() {
	_ = p.signal(syscall.SIGTERM)
	_ = p.signal(syscall.SIGCONT) // one that is paused must hear it
}

func (p *process) pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	ended := false
	err := until(bound, func() bool {
		ended = !p.alive()
		return ended || groupStands(p.pid())
	}, "was sent SIGSTOP and does not stand still after "+bound.String())
	if ended {
		return errors.New("it ended before it stood still: " + p.how)
	}
	return err
}

func (p *process) resume() error { return p.signal(syscall.SIGCONT) }
