package worker

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain makes the test binary the program of the workers: WORKER_TEST says
// which, and what its argument is.
func TestMain(m *testing.M) {
	if kind, argument, found := strings.Cut(os.Getenv("WORKER_TEST"), " "); found {
		programs[kind](argument)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var programs = map[string]func(string){
	"serve":   serve,
	"exit":    func(text string) { fmt.Println(text); os.Exit(3) },
	"sleep":   func(string) { select {} },
	"fork":    fork,
	"chatter": chatter,
	"breed":   breed,
}

// serve answers at an address.
func serve(addr string) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("listening on", l.Addr())
	if err := http.Serve(l, http.HandlerFunc(answer)); err != nil {
		panic(err)
	}
}

func answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/missing" {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintln(w, os.Getpid())
}

// fork starts others again and again, which inherit a listener and add a line to
// a file for as long as they live.
func fork(file string) {
	for n := 0; ; n++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "WORKER_TEST=chatter "+file)
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
		}
		go cmd.Wait()
		if n == 4 {
			select {}
		}
	}
}

// breed starts processes that end at once, without end.
func breed(string) {
	for range 4 {
		go func() {
			for {
				if err := exec.Command("true").Run(); err != nil {
					fmt.Println(err)
				}
			}
		}()
	}
	fmt.Println("breeding")
	select {}
}

// chatter writes to a file without end, and is hard to end.
func chatter(file string) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(1)
	}
	for n := 0; ; n++ {
		fmt.Fprintln(f, os.Getpid())
		if n == 0 {
			fmt.Println("written")
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// command is a Config for one of the programs.
func command(kind, argument string) Config {
	return Config{Name: "api", Args: []string{os.Args[0]}, Env: []string{"WORKER_TEST=" + kind + " " + argument}}
}

// address is one where nobody listens, of a port that no client is given.
func address(t testing.TB) string {
	t.Helper()
	for port := 20000 + os.Getpid()%10000; port < 32000; port++ {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no free port")
	return ""
}
