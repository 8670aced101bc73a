package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { programs["tool"] = tool }

// tool is one that starts, pauses and kills workers until it is killed.
func tool(argument string) {
	dir, addr, _ := strings.Cut(argument, " ")
	j, _, err := OpenJournal(filepath.Join(dir, "journal"))
	if err != nil {
		panic(err)
	}
	socket := filepath.Join(dir, "points.sock")
	if err := j.File(socket); err != nil {
		panic(err)
	}
	if _, err := net.Listen("unix", socket); err != nil {
		panic(err)
	}
	api := New(with(command("serve", addr), Ready{Addr: addr}), j)
	many := New(with(command("fork", filepath.Join(dir, "bytes")), Ready{Line: "written"}), j)
	fmt.Println("begun")
	for {
		for _, w := range []*Worker{api, many} {
			if err := w.Start(context.Background()); err != nil {
				panic(err)
			}
			w.Pause()
		}
		if _, err := os.Stat(filepath.Join(dir, "hold")); err == nil {
			fmt.Println("held")
			select {}
		}
		api.Resume()
		time.Sleep(5 * time.Millisecond)
		many.Kill()
		api.Kill()
	}
}

// marked are the living processes whose environment holds a text: found in
// another way than the journal does.
func marked(t *testing.T, text string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	must(t, err)
	for _, file := range files {
		if b, _ := os.ReadFile(file); strings.Contains(string(b), text) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// child starts the test binary as a program until the test ends.
func child(t *testing.T, program string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "WORKER_TEST="+program), env...)
	cmd.Stderr = os.Stderr
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// TestToolIsKilled kills a tool at random times: the next start leaves nothing
// of it, and does not touch an innocent.
func TestToolIsKilled(t *testing.T) {
	dir, addr := t.TempDir(), address(t)
	must(t, os.MkdirAll(filepath.Join(dir, "journal"), 0o755))
	innocent := child(t, "sleep ")
	must(t, innocent.Start())
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		mark := fmt.Sprintf("WORKER_MARK=%d.%d", os.Getpid(), n)
		cmd := child(t, "tool "+dir+" "+addr, mark)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if n%4 != 0 {
			expect(t, bufio.NewReader(out), "begun\n")
		}
		time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond)
		must(t, cmd.Process.Kill())
		cmd.Wait()
		afterwards(t, dir, addr, mark, innocent.Process.Pid)
	}
}

// TestToolIsKilledWhilePausing kills a tool whose workers stand still, so that
// there is something left for certain.
func TestToolIsKilledWhilePausing(t *testing.T) {
	dir, addr, mark := t.TempDir(), address(t), fmt.Sprintf("WORKER_MARK=%d.held", os.Getpid())
	must(t, os.WriteFile(filepath.Join(dir, "hold"), nil, 0o600))
	innocent, cmd := child(t, "sleep "), child(t, "tool "+dir+" "+addr, mark)
	must(t, innocent.Start())
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	expect(t, bufio.NewReader(out), "begun\n", "held\n")
	must(t, cmd.Process.Kill())
	cmd.Wait()
	if len(marked(t, mark)) == 0 {
		t.Error("nothing was left: nothing is tried")
	}
	if undone := afterwards(t, dir, addr, mark, innocent.Process.Pid); len(undone) < 2 {
		t.Errorf("undone: %q", undone)
	}
}

func expect(t *testing.T, r *bufio.Reader, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if line, err := r.ReadString('\n'); line != want {
			t.Fatalf("%q, %v, want %q", line, err, want)
		}
	}
}

// afterwards opens the journal again: nothing with the mark is left, nobody
// listens, and an innocent that a journal names lives.
func afterwards(t *testing.T, dir, addr, mark string, innocent int) (undone []string) {
	t.Helper()
	journals := filepath.Join(dir, "journal")
	forge(t, journals, note{Worker: "x", Pid: innocent, Start: "long ago"})
	j, undone, err := OpenJournal(journals)
	must(t, err)
	if pids := marked(t, mark); len(pids) > 0 {
		t.Fatalf("%v are left; undone: %q", pids, undone)
	}
	if s, ok := readStat(innocent); !ok || s.dead() || s.paused() {
		t.Fatalf("the innocent is not well; undone: %q", undone)
	}
	if _, err := os.Lstat(filepath.Join(dir, "points.sock")); err == nil || !refused(addr) {
		t.Fatalf("somebody listens, or the socket is there; undone: %q", undone)
	}
	must(t, j.Close())
	if left := journalsIn(t, journals); len(left) > 0 {
		t.Fatalf("%v are left", left)
	}
	return undone
}

func journalsIn(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	must(t, err)
	return left
}

// forge writes a journal that nobody holds, with a line that was cut short.
func forge(t *testing.T, dir string, notes ...note) (token string) {
	t.Helper()
	token = strings.Repeat("0123456789abcdef", 2)
	text := "{\"worker\":\"api\",\"pid\":\nnonsense\n"
	for _, n := range notes {
		line, err := json.Marshal(n)
		must(t, err)
		text += string(line) + "\n"
	}
	must(t, os.WriteFile(filepath.Join(dir, token+suffix), []byte(text+`{"worker":"half`), 0o600))
	return token
}

// TestUndoSays looks at each way in which a process is known.
func TestUndoSays(t *testing.T) {
	dir := t.TempDir()
	token := forge(t, dir)
	byToken, byNote, innocent, socket := child(t, "sleep ", variable+"="+token+":api"), child(t, "sleep "), child(t, "sleep "), filepath.Join(dir, "s")
	for _, cmd := range []*exec.Cmd{byToken, byNote, innocent} {
		must(t, cmd.Start())
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	l.Close()
	alive, err := net.Listen("unix", socket+"2")
	must(t, err)
	defer alive.Close()
	must(t, os.WriteFile(socket+"3", nil, 0o600))
	start, _ := birth(byNote.Process.Pid)
	forge(t, dir, note{Worker: "web", Pid: byNote.Process.Pid, Start: start}, note{Worker: "x", Pid: innocent.Process.Pid, Start: start + "0"},
		note{Worker: "y", Pid: -1}, note{Worker: "z", Pid: 1 << 30}, note{File: socket}, note{File: socket + "2"}, note{File: socket + "3"}, note{File: socket + "4"})
	must(t, byNote.Process.Signal(syscall.SIGSTOP))
	must(t, until(bound, func() bool { s, _ := readStat(byNote.Process.Pid); return s.paused() }, "it runs on"))

	j, undone, err := OpenJournal(dir)
	must(t, err)
	defer j.Close()
	want := []string{
		fmt.Sprintf("killed worker api (pid %d), left by a run that was killed", byToken.Process.Pid),
		fmt.Sprintf("killed worker web (pid %d), which was paused, left by a run that was killed", byNote.Process.Pid),
		"removed the socket " + socket + ", left by a run that was killed",
	}
	slices.Sort(undone)
	if slices.Sort(want); !slices.Equal(undone, want) {
		t.Errorf("undone:\n%s\nwant:\n%s", strings.Join(undone, "\n"), strings.Join(want, "\n"))
	}
	if s, ok := readStat(innocent.Process.Pid); !ok || s.dead() {
		t.Error("the innocent is dead")
	}
	for _, still := range []string{"2", "3"} {
		if _, err := os.Lstat(socket + still); err != nil {
			t.Error(err)
		}
	}
}

// TestTwoTools: what a living tool holds is left alone; what is closed ends
// what left its group.
func TestTwoTools(t *testing.T) {
	dir := t.TempDir()
	j, _, err := OpenJournal(dir)
	must(t, err)
	w := New(with(Config{Name: "api", Args: []string{"/bin/sh", "-c", "WORKER_MARK=leaver setsid sleep 1000 & echo ready; wait"}}, Ready{Line: "ready"}), j)
	must(t, w.Start(t.Context()))
	must(t, until(bound, func() bool { return len(marked(t, "WORKER_MARK=leaver")) > 0 }, "no leaver"))
	other, undone, err := OpenJournal(dir)
	must(t, err)
	if len(undone) > 0 || !w.Alive() || len(journalsIn(t, dir)) != 2 {
		t.Errorf("a living tool was not left alone: %q", undone)
	}
	must(t, other.Close())
	if !w.Alive() {
		t.Error("it was ended by another's Close")
	}
	must(t, w.Kill())
	must(t, j.Close())
	must(t, j.Close())
	if pids := marked(t, "WORKER_MARK=leaver"); len(pids) > 0 || len(journalsIn(t, dir)) > 0 {
		t.Errorf("left: %v", pids)
	}
	if j.File("x") == nil || New(command("sleep", ""), j).Start(t.Context()) == nil {
		t.Error("a closed journal takes notes")
	}
}

func TestNoJournal(t *testing.T) {
	var j *Journal
	must(t, j.File("x"))
	must(t, j.Close())
	if _, _, err := OpenJournal("/dev/null/x"); err == nil {
		t.Error("no error")
	}
}

// What could not be ended is an error, and stays in the journal.
func TestJournalKeepsWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	j, _, err := OpenJournal(dir)
	must(t, err)
	h := hunt{failed: map[int]error{12: syscall.EPERM, 7: syscall.EPERM}}
	err = j.over(h.missed())
	want := "a worker's process 7 could not be killed: operation not permitted\na worker's process 12 could not be killed: operation not permitted\nidemcheck tries again when it is started next"
	if err == nil || err.Error() != want || !errors.Is(err, syscall.EPERM) || len(journalsIn(t, dir)) != 1 {
		t.Errorf("%v; %v are there", err, journalsIn(t, dir))
	}
	if err := (&hunt{}).missed(); err != nil {
		t.Error(err)
	}
	must(t, j.Close())
	if left := journalsIn(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
