package point

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOff(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { At("after-effect") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	stdout, stderr, err := output(t, "", "a")
	if err != nil || stdout != "before a\nafter a\ndeferred\n" || stderr != "" {
		t.Errorf("%q, %q, %v", stdout, stderr, err)
	}
}

func BenchmarkPointOff(b *testing.B) {
	b.ReportAllocs()
	for range b.N { // Loop would cost more than what is measured
		At("after-effect")
	}
}

func TestKill(t *testing.T) {
	for points, want := range map[string]string{
		"b=kill":                             "before a\nafter a\nbefore b\n",
		"*=kill":                             "before a\n",
		"a=kill@2":                           "before a\nafter a\nbefore b\nafter b\nbefore a\n",
		"*=kill@2":                           "before a\nafter a\nbefore b\nafter b\nbefore a\n",
		"c=kill;":                            "before a\nafter a\nbefore b\nafter b\nbefore a\nafter a\ndeferred\n",
		" ; b=kill@1 ":                       "before a\nafter a\nbefore b\n",
		"a=pause:1ms;b=pause:1ms@1;a=kill@3": "before a\nafter a\nbefore b\nafter b\nbefore a\nafter a\ndeferred\n",
	} {
		stdout, stderr, err := output(t, points, "a b a")
		if stdout != want || stderr != "" || (err == nil) != strings.Contains(want, "deferred") {
			t.Errorf("%s: %q, %q, %v", points, stdout, stderr, err)
		}
	}
}

// TestBad: nothing is armed, and there is one line that says why.
func TestBad(t *testing.T) {
	for points, want := range map[string]string{
		"a":                           `no =, want NAME=ACTION`,
		"a=kill;b":                    `"b": no =, want NAME=ACTION`,
		"a=kil":                       `action "kil", want kill, stop, pause:DURATION or unix:PATH`,
		"a=":                          `action "", want kill`,
		"a=kill:now":                  `action "kill:now", want`,
		"a=unix:":                     `action "unix:", want`,
		"a=kill@0":                    `@0, want @ and a number from 1`,
		"a=kill@99999999999999999999": `want @ and a number from 1`,
		"a=kill@":                     `want @ and a number from 1`,
		"a=pause":                     `pause "", want a duration such as 200ms`,
		"a=pause:-1s":                 `pause "-1s", want a duration`,
		"a b=kill":                    `name "a b", want * or 1 to 64 of A-Z`,
		"=kill":                       `name ""`,
	} {
		stdout, stderr, err := output(t, points, "a")
		if err != nil || stdout != "before a\nafter a\ndeferred\n" || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "idemcheck: nothing is armed: IDEMCHECK_POINTS: ") || !strings.Contains(stderr, want) {
			t.Errorf("%s: %q, %q, %v", points, stdout, stderr, err)
		}
	}
}

func TestBadName(t *testing.T) {
	long := strings.Repeat("x", 65)
	stdout, stderr, err := output(t, "*=kill", "ä:b "+long)
	if err != nil || !strings.HasSuffix(stdout, "deferred\n") || stderr != "idemcheck: point \"ä:b\" is ignored: a name has 1 to 64 of A-Z a-z 0-9 . _ / -\n" {
		t.Errorf("%q, %q, %v", stdout, stderr, err)
	}
}

// TestMeet is the tool's side: it holds a point for as long as it likes.
func TestMeet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.sock")
	l, err := net.Listen("unix", path)
	must(t, err)
	defer l.Close()
	must(t, l.(*net.UnixListener).SetDeadline(time.Now().Add(30*time.Second)))
	cmd := program("*=unix:"+path, "a b/c.d_e-F c d")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	for _, step := range [][2]string{{"a", "go\n"}, {"b/c.d_e-F", ""}, {"c", "error no such point\n"}, {"d", "what\n"}} {
		c, err := l.Accept()
		must(t, err)
		line, err := bufio.NewReader(c).ReadString('\n')
		if must(t, err); line != fmt.Sprintf("at %s %d\n", step[0], cmd.Process.Pid) {
			t.Errorf("it said %q", line)
		}
		_, err = c.Write([]byte(step[1]))
		must(t, err)
		must(t, c.Close())
	}
	lines := bufio.NewScanner(out)
	n := 0
	for ; lines.Scan(); n++ {
	}
	must(t, cmd.Wait())
	if n != 9 || stderr.String() != "idemcheck: point c: no such point\n" {
		t.Errorf("%d lines, %q", n, stderr.String())
	}
}

// TestHeld: nothing behind the point happens before the tool says so.
func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.sock")
	l, err := net.Listen("unix", path)
	must(t, err)
	defer l.Close()
	cmd := program("a=unix:"+path, "a")
	out, err := os.CreateTemp(t.TempDir(), "out")
	must(t, err)
	defer out.Close()
	cmd.Stdout = out
	must(t, cmd.Start())
	c, err := l.Accept()
	must(t, err)
	defer c.Close()
	time.Sleep(20 * time.Millisecond) // time enough to do what it must not
	if b, _ := os.ReadFile(out.Name()); string(b) != "before a\n" {
		t.Errorf("it was held and printed %q", b)
	}
	must(t, cmd.Process.Kill())
	if cmd.Wait() == nil {
		t.Error("it was killed while it was held, and ended well")
	}
}

func TestNobodyThere(t *testing.T) {
	stdout, stderr, err := output(t, "*=unix:"+filepath.Join(t.TempDir(), "none"), "a")
	if err != nil || !strings.HasSuffix(stdout, "deferred\n") || stderr != "" {
		t.Errorf("%q, %q, %v", stdout, stderr, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a=kill", "*=unix:/tmp/x@3;b=pause:1s", "a=stop@2", ";;", "=", "a=pause:@", "a=kill@@1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parse(text)
		for _, e := range entries {
			if err != nil || e.nth < 0 || e.action == "unix" && e.path == "" || e.action == "pause" && e.pause <= 0 {
				t.Errorf("%q: %+v, %v", text, e, err)
			}
		}
	})
}
