package wire

import (
	"fmt"
	"net"
	"strings"
)

// address is one end of a link: network "tcp" or "unix".
type address struct{ network, name string }

// String is the address as a Config spells it.
func (a address) String() string {
	if a.network == "unix" {
		return "unix:" + a.name
	}
	return a.name
}

// parseAddress reads "host:port" or "unix:/path".
func parseAddress(text string) (address, error) {
	if path, unix := strings.CutPrefix(text, "unix:"); unix {
		return parsePath(path)
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil || port == "" || strings.Contains(text, "/") {
		return address{}, fmt.Errorf("%q is no address; use HOST:PORT, or unix:/PATH for a unix socket", text)
	}
	return address{"tcp", text}, nil
}

// longest is how many bytes the path of a unix socket may have everywhere.
const longest = 103

func parsePath(path string) (address, error) {
	if path == "" {
		return address{}, fmt.Errorf("unix: has no path; use unix:/PATH")
	}
	if len(path) > longest {
		return address{}, fmt.Errorf("the path of a unix socket may have %d bytes; %s has %d", longest, path, len(path))
	}
	return address{"unix", path}, nil
}

// parseListen is parseAddress; without any it is a free port of loopback.
func parseListen(text string) (address, error) {
	if text == "" {
		text = "127.0.0.1:0"
	}
	return parseAddress(text)
}
