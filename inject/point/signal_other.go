//go:build !unix

package point

import "os"

// kill ends the process at once: no deferred function runs.
func kill() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
}

func stop() { say("point: stop needs SIGSTOP, which this system has not; pause:DURATION works") }
