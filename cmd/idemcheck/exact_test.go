package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/scenarios"
)

// TestKillsAreExact kills a service at its COMMIT again and again. After it was
// done the row is there and the caller has no answer, each time; before it is
// delivered there is neither. 100 kills of each by default, 1,000 under IDEMCHECK_LONG.
func TestKillsAreExact(t *testing.T) {
	unraced(t)
	server := needPostgres(t)
	kills := 100
	if os.Getenv("IDEMCHECK_LONG") != "" {
		kills = 1000
	}
	const instances = 4
	var s mapped
	for range instances {
		s.databases = append(s.databases, database(t, server))
	}
	systems, end, err := s.start(t.Context(), t.TempDir(), "exact")
	defer end()
	if err != nil {
		t.Fatal(err)
	}
	var left, after, before atomic.Int64
	left.Store(int64(kills))
	var group sync.WaitGroup
	for i, sys := range systems {
		v := newVictim(t, sys, s.databases[i])
		group.Go(func() {
			for n := left.Add(-1); n >= 0 && !t.Failed(); n = left.Add(-1) {
				after.Add(v.killed(t, fmt.Sprintf("after-%d", n), wire.After, 1))
				before.Add(v.killed(t, fmt.Sprintf("before-%d", n), wire.Before, 0))
			}
		})
	}
	group.Wait()
	t.Logf("%d kills after COMMIT and %d before it were exact", after.Load(), before.Load())
}

// victim is a service that is killed.
type victim struct {
	scenarios.System
	rows     *sql.DB
	customer string
	kill     atomic.Pointer[wire.Phase] // of the next COMMIT; nil: it passes
	struck   chan error                 // what became of the kill
}

func newVictim(t *testing.T, sys scenarios.System, dsn string) *victim {
	t.Helper()
	rows, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rows.Close() })
	v := &victim{System: sys, rows: rows, struck: make(chan error, 1)}
	sys.Links[0].Watch(v.hook)
	var made struct{ ID string }
	if body, err := v.post("/customers", "customer", `{"name":"Jane","email":"jane@shop.example"}`); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(body, &made); err != nil || made.ID == "" {
		t.Fatalf("%v in %s", err, body)
	}
	v.customer = made.ID
	return v
}

func (v *victim) hook(s wire.Step) wire.Action {
	phase := v.kill.Load()
	if phase == nil || s.Name != "COMMIT" || s.Phase != *phase || !v.kill.CompareAndSwap(phase, nil) {
		return wire.Pass
	}
	v.struck <- v.Workers[0].Kill()
	return wire.Cut
}

func (v *victim) post(path, key, body string) ([]byte, error) {
	r, err := http.NewRequest("POST", v.Address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.GetBody = nil
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("Authorization", "Bearer alice")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// killed charges an order, kills the service at its COMMIT, and holds how many
// rows there are then; 1 if all was as it should be.
func (v *victim) killed(t *testing.T, order string, phase wire.Phase, want int) int64 {
	v.kill.Store(&phase)
	answer, err := v.post("/charges", order, fmt.Sprintf(`{"order":%q,"amount":100,"currency":"EUR","customer":%q}`, order, v.customer))
	if err == nil {
		t.Errorf("%s: answered %s", order, answer)
		return 0
	}
	select {
	case err = <-v.struck:
	case <-time.After(30 * time.Second):
		err = fmt.Errorf("%s: no COMMIT came: %w", order, err)
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	var rows int
	if err := v.rows.QueryRow("select count(*) from charges where order_id = $1", order).Scan(&rows); err != nil || rows != want {
		t.Errorf("%s: %d rows, want %d, %v", order, rows, want, err)
		return 0
	}
	if err := v.Workers[0].Start(t.Context()); err != nil {
		t.Error(err)
		return 0
	}
	return 1
}
