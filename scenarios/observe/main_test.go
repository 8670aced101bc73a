package observe

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// writerEnv makes the test binary a process that writes a SQLite database.
const writerEnv = "OBSERVE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(writerEnv); dsn != "" {
		if err := writer(dsn); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if what := os.Getenv(commandEnv); what != "" {
		os.Exit(fakeCommand(what))
	}
	goleak.VerifyTestMain(m)
}

// writer runs each line of its input as SQL on one connection and answers "done".
func writer(dsn string) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if _, err := db.Exec(in.Text()); err != nil {
			return fmt.Errorf("%s: %w", in.Text(), err)
		}
		fmt.Println("done")
	}
	return in.Err()
}

// fakeCommand does what a user's command might.
func fakeCommand(what string) (code int) {
	what, file, _ := strings.Cut(what, " ")
	switch what {
	case "fail":
		fmt.Fprintln(os.Stderr, "no such key")
		return 3
	case "save":
		in, _ := io.ReadAll(os.Stdin)
		env, _ := json.Marshal([]string{os.Getenv("IDEMCHECK_IDS"), os.Getenv("IDEMCHECK_KEYS"), os.Getenv("IDEMCHECK_RUN_ID"), os.Getenv("IDEMCHECK_SECONDS")})
		_ = os.WriteFile(file, fmt.Appendf(nil, `{"in":%s,"env":%s}`, in, env), 0o600)
	case "print":
		fmt.Print(file)
	case "endless":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	case "children":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), commandEnv+"=sleep")
		child.Stdout = os.Stdout
		_ = child.Start()
		_ = os.WriteFile(file, nil, 0o600)
		select {}
	case "sleep":
		time.Sleep(time.Hour)
	}
	return 0
}
