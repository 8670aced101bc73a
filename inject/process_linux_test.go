package inject_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// A test that is killed leaves no process.
func TestProcessDiesWithItsTest(t *testing.T) {
	const variable = "IDEMCHECK_TEST_ORPHAN"
	if dir := os.Getenv(variable); dir != "" {
		run := inject.Start(t)
		work := run.Process(dir, func(dir string) func(context.Context, string) error {
			return func(context.Context, string) error {
				if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
					return err
				}
				select {}
			}
		})
		t.Error(work(t.Context(), "x"))
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcessDiesWithItsTest$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	within(t, "the process says its number", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "pid"))
		line, whole := strings.CutSuffix(string(text), "\n")
		pid, _ = strconv.Atoi(line)
		return whole
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	within(t, "it is gone", func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ") // dead, and nobody waits for it
	})
}

func within(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
