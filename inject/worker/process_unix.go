//go:build unix

package worker

import (
	"errors"
	"os"
	"syscall"
	"time"
)

func signalGroup(p *os.Process, s syscall.Signal) error { return syscall.Kill(-p.Pid, s) }

func (p *process) terminate() {
	_ = p.signal(syscall.SIGTERM)
	_ = p.signal(syscall.SIGCONT) // one that is paused must hear it
}

// deepSleep is how long a call into the system may take that no signal
// interrupts. What takes longer waits for another that is stopped: a thread that
// starts a process, for example, waits for that to become another program.
const deepSleep = 50 * time.Millisecond

func (p *process) pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	ended, asked := false, time.Now()
	err := until(bound, func() bool {
		ended = !p.alive()
		return ended || groupStands(p.pid(), time.Since(asked) > deepSleep)
	}, "was sent SIGSTOP and does not stand still after "+bound.String())
	if ended {
		return errors.New("it ended before it stood still: " + p.how)
	}
	return err
}

func (p *process) resume() error { return p.signal(syscall.SIGCONT) }
