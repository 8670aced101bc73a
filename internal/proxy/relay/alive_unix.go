//go:build unix

package relay

import "syscall"

const canPeek = true

// peek looks at a socket without waiting and without taking what came.
func peek(fd uintptr) state {
	var b [1]byte
	for {
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return quiet
		case err != nil || n == 0:
			return closed
		default:
			return spoken
		}
	}
}

// readNow reads from a socket without waiting.
func readNow(fd uintptr, b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), b)
		if err != syscall.EINTR {
			return max(0, n), err
		}
	}
}
