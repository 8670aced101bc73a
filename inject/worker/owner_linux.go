package worker

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// asks reports whether a process of a group is "pid 4711", or has a TCP socket
// with that address at its own end.
func asks(group int, from string) bool {
	var sockets []string
	pid, isPid := strings.CutPrefix(from, "pid ")
	if !isPid {
		if sockets = socketsAt(from); len(sockets) == 0 {
			return false
		}
	}
	return slices.ContainsFunc(pids(), func(p int) bool {
		s, ok := readStat(p)
		switch {
		case !ok || s.group != group || s.dead():
			return false
		case isPid:
			return strconv.Itoa(p) == pid
		}
		return hasOpen(p, sockets)
	})
}

// hasOpen reports whether a process has one of the sockets open.
func hasOpen(pid int, sockets []string) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return slices.ContainsFunc(files, func(file string) bool {
		to, err := os.Readlink(file)
		return err == nil && slices.Contains(sockets, to)
	})
}

// socketsAt are the TCP sockets with an address at their own end, "socket:[4711]".
func socketsAt(address string) (all []string) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil
	}
	ip, mapped := at.Addr().Unmap(), at.Addr().As16()
	wanted := []string{fmt.Sprintf("%s:%04X", words(mapped[:]), at.Port())}
	if ip.Is4() {
		wanted = append(wanted, fmt.Sprintf("%s:%04X", words(ip.AsSlice()), at.Port()))
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, _ := os.ReadFile(table)
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 9 && slices.Contains(wanted, f[1]) {
				all = append(all, "socket:["+f[9]+"]")
			}
		}
	}
	return all
}

// words is an address as the kernel prints it: words of 32 bits, each with its
// last byte first (on the processors that we build for).
func words(ip []byte) (s string) {
	for word := range slices.Chunk(slices.Clone(ip), 4) {
		slices.Reverse(word)
		s += strings.ToUpper(hex.EncodeToString(word))
	}
	return s
}
