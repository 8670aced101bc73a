package point

import (
	"runtime"
	"syscall"
)

func kill() { toThread(syscall.SIGKILL) }
func stop() { toThread(syscall.SIGSTOP) }

// toThread sends a signal to the thread that runs this: it acts when the call
// returns. Sent to the process, it may be taken by another thread while this
// one goes on.
func toThread(s syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Tgkill(syscall.Getpid(), syscall.Gettid(), s); err != nil {
		say("point: " + err.Error())
	}
}
