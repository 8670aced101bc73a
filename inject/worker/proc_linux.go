package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what /proc/PID/stat says of a process or a thread.
type stat struct {
	state   byte
	group   int
	flags   uint64
	threads int
	start   string // ticks since the system started
}

// dead reports whether all of it is over: the first thread may be, while others
// still hold what is open.
func (s stat) dead() bool { return (s.state == 'Z' || s.state == 'X') && s.threads <= 1 }

// dying reports whether it ends just now: it has no environment any more, and
// what it has open is not yet closed.
func (s stat) dying() bool {
	const exiting = 0x4 // PF_EXITING
	return s.flags&exiting != 0 && !s.dead()
}

func (s stat) paused() bool { return s.state == 'T' || s.state == 't' }

// pids are all processes that there are.
func pids() (all []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

func readStat(pid int) (stat, bool) { return readStatFile(fmt.Sprintf("/proc/%d/stat", pid)) }

// readStatFile reads the fields behind the name, which may hold anything.
func readStatFile(path string) (s stat, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return s, false
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return s, false
	}
	s.state, s.start = fields[0][0], fields[19]
	s.flags, _ = strconv.ParseUint(fields[6], 10, 64)
	s.threads, _ = strconv.Atoi(fields[17])
	s.group, err = strconv.Atoi(fields[2])
	return s, err == nil
}

// stands reports whether no thread of a process runs.
func stands(pid int, patient bool) bool {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(dir)
	for _, t := range threads {
		if s, ok := readStatFile(dir + "/" + t.Name() + "/stat"); ok && !strings.ContainsRune("TtZX", rune(s.state)) && !(patient && s.state == 'D') {
			return false
		}
	}
	return err == nil || os.IsNotExist(err)
}
