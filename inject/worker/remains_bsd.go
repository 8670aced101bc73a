//go:build unix && !linux

package worker

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// birth tells a process from others that have or had its number, to the second.
func birth(pid int) (start string, alive bool) {
	for _, p := range list("-p", strconv.Itoa(pid)) {
		return p.start, true
	}
	return "", false
}

// remains are the living processes that are noted, and what is in their groups.
func remains(_ string, notes []note) (all []remain) {
	listed := list("-A")
	noted := map[int]note{}
	for _, n := range notes {
		if p, found := listed[n.Pid]; found && p.start == n.Start {
			noted[n.Pid] = n
		}
	}
	for pid, p := range listed {
		n, found := noted[pid]
		if !found {
			n, found = noted[p.group]
		}
		if found && pid != os.Getpid() {
			all = append(all, remain{pid, n.Worker, false, strings.HasPrefix(p.state, "T"), func() bool { start, ok := birth(pid); return ok && start == p.start }})
		}
	}
	return all
}

// listing is what ps says of a process.
type listing struct {
	group        int
	state, start string
}

// list asks ps for the living processes.
func list(which ...string) map[int]listing {
	cmd := exec.Command("ps", append(which, "-o", "pid=", "-o", "pgid=", "-o", "state=", "-o", "lstart=")...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	out, _ := cmd.Output()
	all := map[int]listing{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		group, err2 := strconv.Atoi(f[1])
		if err == nil && err2 == nil {
			all[pid] = listing{group, f[2], strings.Join(f[3:], " ")}
		}
	}
	return all
}
