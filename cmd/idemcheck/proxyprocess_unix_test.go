//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestProxyProcess holds what signals do to the proxy: the first switches its
// repeats off, the second on again, the third ends it with what it learned.
func TestProxyProcess(t *testing.T) {
	var seen atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, fmt.Sprint(seen.Add(1)))
	}))
	defer origin.Close()
	cmd := exec.Command("idemcheck", "proxy", "--listen", "127.0.0.1:0", "--to", origin.URL, "--share", "100%", "--fault", "repeat: before-answer")
	cmd.Dir = t.TempDir()
	var out lockedBuffer
	cmd.Stdout = &out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewReader(said)
	url := strings.Fields(hear(t, lines, "listens on"))[2]
	hear(t, lines, "at most")
	post := func(want string) {
		t.Helper()
		before := seen.Load()
		for n := range 5 {
			resp, err := http.Post(url+"/a", "text/plain", strings.NewReader(fmt.Sprint(want, n)))
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if got := seen.Load() - before; (want == "struck") == (got == 5) {
			t.Errorf("%s: the service saw %d of 5 requests", want, got)
		}
	}
	post("struck")
	cmd.Process.Signal(syscall.SIGUSR1)
	hear(t, lines, "off")
	before := seen.Load()
	post("spared")
	_ = before
	cmd.Process.Signal(syscall.SIGUSR2)
	hear(t, lines, "on")
	post("struck")
	cmd.Process.Signal(syscall.SIGTERM)
	go io.Copy(io.Discard, lines)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInconclusive {
		t.Errorf("exit code %d, want %d", code, exitInconclusive)
	}
	if !strings.Contains(out.String(), "POST /a") {
		t.Errorf("the report does not speak of the route:\n%s", out.String())
	}
}

// hear reads on until a line holds the words.
func hear(t *testing.T, lines *bufio.Reader, words string) string {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, words) {
			return line
		}
		if err != nil {
			t.Fatalf("it ended before it said %q: %v", words, err)
		}
	}
}
