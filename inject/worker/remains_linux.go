package worker

import (
	"fmt"
	"os"
	"strings"
)

// birth tells a process from all others that have or had its number: by the
// start of the system, the room of process numbers, and its own start.
func birth(pid int) (start string, alive bool) {
	s, ok := readStat(pid)
	if !ok || s.dead() {
		return "", false
	}
	return s.birth(), true
}

func (s stat) birth() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	room, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + room + " " + s.start
}

// remains are the living processes that have the token in their environment, or
// that are noted, and what is in the group of one that is noted; and every one
// that is dying, whose it is can not be seen any more.
func remains(token string, notes []note) (all []remain) {
	noted := map[int]note{}
	for _, n := range notes {
		if start, alive := birth(n.Pid); n.Pid > 0 && alive && start == n.Start {
			noted[n.Pid] = n
		}
	}
	for _, pid := range pids() {
		s, ok := readStat(pid)
		if !ok || s.dead() || pid == os.Getpid() {
			continue
		}
		name, ours := tokenOf(pid, token)
		if n, found := noted[pid]; found {
			name, ours = n.Worker, true
		} else if n, found := noted[s.group]; found && !ours {
			name, ours = n.Worker, true
		}
		if ours || s.dying() {
			all = append(all, remain{pid, name, !ours, s.paused(), func() bool { again, ok := readStat(pid); return ok && again.start == s.start && !again.dead() }})
		}
	}
	return all
}

// tokenOf looks for the token in the environment that a process was started
// with, and says of which worker it is.
func tokenOf(pid int, token string) (worker string, found bool) {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for entry := range strings.SplitSeq(string(environ), "\x00") {
		if name, found := strings.CutPrefix(entry, variable+"="+token+":"); found {
			return name, true
		}
	}
	return "", false
}
