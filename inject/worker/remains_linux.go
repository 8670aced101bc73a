package worker

import (
	"fmt"
	"os"
	"strings"
	"sync"
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

func (s stat) birth() string { return system() + s.start }

var system = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	room, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + room + " "
})

// remains are the living processes that have the token in their environment, or
// that are noted, and what is in the group of one that is noted; and every one
// that is dying, whose it is can not be seen any more.
func remains(token string, notes []note) (all []remain) {
	living := map[int]stat{}
	for _, pid := range pids() {
		if s, ok := readStat(pid); ok && !s.dead() && pid != os.Getpid() {
			living[pid] = s
		}
	}
	noted := map[int]string{}
	for _, n := range notes {
		if s, ok := living[n.Pid]; ok && s.birth() == n.Start {
			noted[n.Pid] = n.Worker
		}
	}
	for pid, s := range living {
		name, ours := tokenOf(pid, token)
		for _, p := range []int{s.group, pid} {
			if worker, found := noted[p]; found {
				name, ours = worker, true
			}
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
