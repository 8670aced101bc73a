//go:build unix

package worker

import (
	"errors"
	"os"
	"syscall"
)

const canLock = true

// lock waits until no other process holds the file. The system gives it back
// when the process ends, however it ends.
func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
