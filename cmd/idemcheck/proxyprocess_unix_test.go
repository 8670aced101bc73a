//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestProxyProcess holds what signals do to the proxy: the first switches its
// repeats off, the second on again, the third ends it with what it learned.
func TestProxyProcess(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		seen[string(b)]++
	}))
	defer origin.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // hear would wait for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, "idemcheck", "proxy", "--listen", "127.0.0.1:0", "--to", origin.URL, "--share", "100%")
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
	send(t, url, "struck")
	cmd.Process.Signal(syscall.SIGUSR1)
	hear(t, lines, "off")
	send(t, url, "spared")
	cmd.Process.Signal(syscall.SIGUSR2)
	hear(t, lines, "on")
	send(t, url, "struck again")
	cmd.Process.Signal(syscall.SIGTERM)
	go io.Copy(io.Discard, lines)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInconclusive {
		t.Errorf("exit code %d, want %d", code, exitInconclusive)
	}
	if want := map[string]int{"struck": 2, "spared": 1, "struck again": 2}; !maps.Equal(seen, want) {
		t.Errorf("the service saw %v, want %v", seen, want)
	}
	if !strings.Contains(out.String(), "POST /a") {
		t.Errorf("the report does not speak of the route:\n%s", out.String())
	}
}

func send(t *testing.T, url, body string) {
	t.Helper()
	resp, err := http.Post(url+"/a", "text/plain", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
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
