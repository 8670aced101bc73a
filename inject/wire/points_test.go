package wire

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func openPoints(t *testing.T, dir string) (*Points, string) {
	t.Helper()
	p, err := OpenPoints(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	path, ok := strings.CutPrefix(p.Env(), "IDEMCHECK_POINTS=*=")
	if !ok {
		t.Fatal(p.Env())
	}
	return p, path
}

// meet does what a worker does, and returns the answer.
func meet(t *testing.T, path, line string) string {
	t.Helper()
	c := dial(t, path)
	_, _ = io.WriteString(c, line)
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Error(err)
	}
	return string(answer)
}

func TestPointsMeet(t *testing.T) {
	p, path := openPoints(t, t.TempDir())
	if answer := meet(t, path, "at unseen 12\n"); answer != "go\n" {
		t.Errorf("nobody watches: %q", answer)
	}
	for _, action := range []Action{Pass, Cut, Refuse} {
		seen := []Step{}
		p.Watch(func(s Step) Action {
			seen = append(seen, s)
			return action
		})
		if answer := meet(t, path, "at after-effect 4711\n"); answer != "go\n" {
			t.Errorf("%v: %q", action, answer)
		}
		want := []Step{{Name: "after-effect", Conn: int(action) + 1, Call: int64(action) + 1, From: "pid 4711", Text: "pid 4711"}}
		if !slices.Equal(seen, want) || seen[0].Moment() != "after-effect" {
			t.Errorf("%+v", seen)
		}
	}
}

func TestPointsHoldOneAndNotTheOthers(t *testing.T) {
	p, path := openPoints(t, t.TempDir())
	held, release := make(chan bool), make(chan bool)
	p.Watch(func(s Step) Action {
		if s.Name == "held" {
			held <- true
			<-release
		}
		return Pass
	})
	c := dial(t, path)
	_, _ = io.WriteString(c, "at held 1\n")
	<-held
	if answer := meet(t, path, "at other 1\n"); answer != "go\n" {
		t.Errorf("%q", answer)
	}
	close(release)
	if answer, err := io.ReadAll(c); string(answer) != "go\n" {
		t.Errorf("%q %v", answer, err)
	}
}

func TestPointsRefuseWhatTheyCanNotRead(t *testing.T) {
	p, path := openPoints(t, t.TempDir())
	p.Watch(func(s Step) Action { t.Errorf("seen: %+v", s); return Pass })
	for line, want := range map[string]string{
		"hello\n":                                `error "hello\n" is not: at NAME PID` + "\n",
		"at x\n":                                 `error "at x\n" is not: at NAME PID` + "\n",
		"at x 1 2\n":                             `error "at x 1 2\n" is not: at NAME PID` + "\n",
		"at ä 1\n":                               `error name "ä": use 1 to 64 of A-Z a-z 0-9 . _ / -` + "\n",
		"at x -1\n":                              `error pid "-1" is no number` + "\n",
		"at x 1\r\n":                             `error pid "1\r" is no number` + "\n",
		"at " + strings.Repeat("x", 65) + " 1\n": "error name \"" + strings.Repeat("x", 65) + `": use 1 to 64 of A-Z a-z 0-9 . _ / -` + "\n",
		strings.Repeat("x", 128):                 "error the line is longer than 128 bytes\n",
	} {
		if answer := meet(t, path, line); answer != want {
			t.Errorf("%q: %q", line, answer)
		}
	}
}

func TestPointsCloseLetsAllGoOn(t *testing.T) {
	p, path := openPoints(t, t.TempDir())
	silent := dial(t, path)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
	if _, err := os.Stat(strings.TrimPrefix(path, "unix:")); err == nil {
		t.Error("the socket is there")
	}
	if err := p.Close(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestPointsInALongDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p, path := openPoints(t, dir)
	if answer := meet(t, path, "at x 1\n"); answer != "go\n" {
		t.Errorf("%q", answer)
	}
	p.Close()
	if _, err := os.Stat(filepath.Dir(strings.TrimPrefix(path, "unix:"))); err == nil {
		t.Error("the directory is there")
	}
	if _, err := OpenPoints(filepath.Join(t.TempDir(), "not-there")); err == nil || !strings.HasPrefix(err.Error(), "points: ") {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// FuzzReadMeeting: whatever comes, the line is read as it would be written, or refused.
func FuzzReadMeeting(f *testing.F) {
	for _, line := range []string{"at after-effect 12\n", "at  12\n", "at x\n", "\n", "at x 1", "at x 99999999999\n", strings.Repeat("at ", 50)} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, pid, err := readMeeting(bufio.NewReaderSize(strings.NewReader(text), 128))
		if err != nil {
			return
		}
		if line := fmt.Sprintf("at %s %s\n", name, pid); !strings.HasPrefix(text, line) {
			t.Errorf("%q was read as %q", text, line)
		}
	})
}
