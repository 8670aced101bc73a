package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// workshop is a directory with the configuration of a service that the tool starts.
type workshop struct {
	dir, program, mark, listen, socket string
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	dir, err := os.MkdirTemp("", "kill-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &workshop{dir: dir, program: filepath.Join(dir, "idemcheck"), mark: "IDEMCHECK_TEST_MARK=" + randomText(), listen: unusedAddress(), socket: filepath.Join(dir, "card.sock")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, w.program); err != nil { // the test's program is the command under this name
		t.Fatal(err)
	}
	for name, text := range map[string]string{"idemcheck.yaml": w.yaml(), "pause.yaml": pausePlan, "still.yaml": stillPlan} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *workshop) yaml() string {
	return fmt.Sprintf(`target: http://%s
operations:
  customer:
    send: POST /customers
    headers: {Authorization: Bearer alice}
    body: {name: Jane, email: "${id}@shop.example"}
    take: {customer: /id}
  charge:
    send: POST /charges
    headers: {Authorization: Bearer alice}
    before: [customer]
    body: {order: "${id}", amount: "${int 100 999}", currency: EUR, customer: "${customer}"}
effects:
  charge-row:
    sql: sqlite:%s/shop.db
    query: select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1
  card-charge:
    provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /metadata/order}
links:
  card: {protocol: http, to: provider/card-charge}
  aside: {protocol: tcp, to: provider/card-charge, listen: "unix:%s"}
workers:
  api:
    run: %s fixture payments --listen %s --db shop.db --instance api --provider http://${link.card}
    ready: GET /healthz
`, w.listen, w.dir, w.socket, w.program, w.listen)
}

// tool is the command, with a mark that all have which it starts.
func (w *workshop) tool(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, w.program, args...)
	c.Dir, c.Env = w.dir, append(os.Environ(), w.mark)
	return c
}

// innocent is a process of the same program that no run started.
func (w *workshop) innocent(t *testing.T) (pid int) {
	t.Helper()
	c := exec.Command(w.program, "fixture", "payments", "--listen", "127.0.0.1:0", "--db", filepath.Join(w.dir, "other.db"))
	c.Dir = w.dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c.Process.Pid
}

// killAfter starts the tool and kills it, and it alone, after a while.
func (w *workshop) killAfter(t *testing.T, d time.Duration, args []string) {
	t.Helper()
	c := w.tool(t.Context(), args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { c.Process.Kill() })
	defer timer.Stop()
	c.Wait() // killed, or it was quicker
}

// pids are the processes that the tool started, and it itself.
func (w *workshop) pids() (all []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && bytes.Contains(environ, []byte(w.mark)) {
			all = append(all, pid)
		}
	}
	return all
}

// stopped is one of them that stands still, 0 if none does.
func (w *workshop) stopped() (pid int) {
	for _, pid := range w.pids() {
		if stateOf(pid) == "T" {
			return pid
		}
	}
	return 0
}

// gone demands that no process of a run is there, and nothing listens.
func (w *workshop) gone(t *testing.T, when string) {
	t.Helper()
	for _, pid := range w.pids() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("%s: process %d is left: %s", when, pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	for network, address := range map[string]string{"tcp": w.listen, "unix": w.socket} {
		if c, err := net.Dial(network, address); err == nil {
			c.Close()
			t.Errorf("%s: something listens on %s", when, address)
		}
	}
	if _, err := os.Lstat(w.socket); err == nil {
		t.Errorf("%s: the socket %s is left", when, w.socket)
	}
	for _, pattern := range []string{"journal/*.journal", "*/*.sock"} {
		if left, _ := filepath.Glob(filepath.Join(w.dir, home, pattern)); len(left) > 0 {
			t.Errorf("%s: left are %v", when, left)
		}
	}
}

// stateOf is the letter by which Linux tells what a process does; T: it is stopped.
func stateOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	state, _, _ := strings.Cut(rest, " ")
	return state
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}
