package point

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test binary a program that reaches points: POINT_TEST has
// their names, and each is printed before and after.
func TestMain(m *testing.M) {
	names := os.Getenv("POINT_TEST")
	if names == "" {
		goleak.VerifyTestMain(m)
	}
	defer fmt.Println("deferred")
	for name := range strings.SplitSeq(names, " ") {
		fmt.Println("before", name)
		At(name)
		fmt.Println("after", name)
	}
}

// program is one that reaches points, and has IDEMCHECK_POINTS so.
func program(points, names string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+points, "POINT_TEST="+names, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// output is what it printed on both, and how it ended.
func output(t *testing.T, points, names string) (stdout, stderr string, err error) {
	t.Helper()
	var out, bad strings.Builder
	cmd := program(points, names)
	cmd.Stdout, cmd.Stderr = &out, &bad
	err = cmd.Run()
	return out.String(), bad.String(), err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
