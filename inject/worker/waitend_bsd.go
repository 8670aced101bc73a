//go:build unix && !linux && !darwin

package worker

import "os/exec"

func waitEnd(c *exec.Cmd) { _ = c.Wait() }
