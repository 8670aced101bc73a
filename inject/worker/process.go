package worker

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// process is one life of a worker: a process group and what it prints.
type process struct {
	cmd    *exec.Cmd
	out    *output
	wanted atomic.Bool   // Kill or Stop ended it
	done   chan struct{} // closed when the group is gone and all that it printed was read
	how    string        // how the first process ended; valid after done
	err    error         // what kept the group from going; valid after done

	mu     sync.Mutex
	reaped bool // its number may be another's from now on
}

// bound is how long the system may take for what it does at once.
const bound = 5 * time.Second

// start starts a group. One goroutine, on a thread of its own, starts the first
// process and waits for it: on Linux the child dies with the thread that made it.
func start(c Config, env []string) (*process, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("no program to run")
	}
	out, pipe, err := newOutput(c.Log, c.Ready.Line)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(c.Args[0], c.Args[1:]...), out: out, done: make(chan struct{})}
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(append(os.Environ(), c.Env...), env...)
	p.cmd.Stdout, p.cmd.Stderr = pipe, pipe
	p.cmd.ExtraFiles = c.Files
	ownGroup(p.cmd)
	started := make(chan error)
	go p.live(pipe, started)
	if err := <-started; err != nil {
		<-p.done
		return nil, err
	}
	return p, nil
}

// live is the whole life of a process.
func (p *process) live(pipe *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	defer p.out.finish()
	err := p.cmd.Start()
	_ = pipe.Close() // the child has its own
	started <- err
	if err != nil {
		return
	}
	waitEnd(p.cmd)
	_ = p.signal(syscall.SIGKILL) // what the first process left of its group
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	_ = p.cmd.Wait()
	p.how = p.cmd.ProcessState.String()
	p.err = until(bound, func() bool { return groupGone(p.pid()) }, "was sent SIGKILL and is not gone after "+bound.String())
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) alive() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill ends the group and returns when it is gone.
func (p *process) kill() {
	if p.alive() {
		p.wanted.Store(true)
		_ = p.signal(syscall.SIGKILL)
	}
	<-p.done
}

// signal strikes the group, or nobody once its number may be another's.
func (p *process) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return errors.New("it has ended")
	}
	return signalGroup(p.cmd.Process, s)
}

// until asks again and again, at first every half millisecond.
func until(within time.Duration, met func() bool, otherwise string) error {
	step := time.Millisecond / 2
	for end := time.Now().Add(within); !met(); step = min(step*5/4, 20*time.Millisecond) {
		if time.Now().After(end) {
			return errors.New(otherwise)
		}
		time.Sleep(step)
	}
	return nil
}
