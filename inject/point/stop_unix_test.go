//go:build unix

package point

import (
	"bufio"
	"io"
	"syscall"
	"testing"
)

// TestStop: it stands still behind the point, and goes on when told to.
func TestStop(t *testing.T) {
	cmd := program("a=stop", "a")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var status syscall.WaitStatus
	_, err = syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	if must(t, err); !status.Stopped() {
		t.Fatalf("status %v", status)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "before a\n" {
		t.Fatal(line, err)
	}
	must(t, cmd.Process.Signal(syscall.SIGCONT))
	rest, err := io.ReadAll(lines)
	if must(t, err); string(rest) != "after a\ndeferred\n" {
		t.Errorf("%q", rest)
	}
	must(t, cmd.Wait())
}
