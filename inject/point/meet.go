package point

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// meet tells the tool that the point is reached and waits for its word. A tool
// that is not there, or goes away, holds nobody up.
func meet(path, name string) {
	c, err := net.Dial("unix", path)
	if err != nil {
		return
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "at %s %d\n", name, os.Getpid()); err != nil {
		return
	}
	line, _ := bufio.NewReader(io.LimitReader(c, 1024)).ReadString('\n')
	if text, found := strings.CutPrefix(line, "error "); found {
		say("point " + name + ": " + strings.TrimSpace(text))
	}
}
