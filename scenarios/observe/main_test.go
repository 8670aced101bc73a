package observe

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"testing"

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
