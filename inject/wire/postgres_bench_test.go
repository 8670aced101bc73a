package wire

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

// benchPostgres sends statements to the real server.
func benchPostgres(b *testing.B, hook Hook) {
	for _, c := range []struct{ name, text string }{
		{"select", "select n from %s where id = $1"},
		{"insert", "insert into %s values ($1, 1) on conflict (id) do update set n = excluded.n"},
		{"rows", "select i, 'some text' from %s, generate_series(1, 500) i where id = $1"},
	} {
		b.Run(c.name, func(b *testing.B) { benchStatements(b, hook, c.text) })
	}
}

// benchStatements is 4 clients with a connection each, of 50 statements.
func benchStatements(b *testing.B, hook Hook, text string) {
	u := postgresURL(b)
	table := fmt.Sprintf("wire_bench_%d", os.Getpid())
	admin := connectBench(b, u, u.Host)
	run := func(sql string) {
		if _, err := admin.Exec(context.Background(), sql); err != nil {
			b.Error(err)
		}
	}
	run("create unlogged table " + table + " (id int primary key, n int)")
	defer run("drop table " + table)
	run("insert into " + table + " select i, i from generate_series(0, 3) i")
	l := openBench(b, Postgres, serverAddr(b))
	l.Watch(hook)
	clients := map[string][]*pgx.Conn{}
	theirs := peer(b, serverAddr(b))
	for _, addr := range []string{l.Addr(), theirs} {
		for range 4 {
			clients[addr] = append(clients[addr], connectBench(b, u, addr))
		}
	}
	inTurn(b, l.Addr(), theirs, func(addr string) {
		next := make(chan int, 4)
		for i := range 4 {
			next <- i
		}
		together(4, func() { statements(b, clients[addr], <-next, fmt.Sprintf(text, table)) })
	})
}

func statements(b *testing.B, clients []*pgx.Conn, i int, text string) {
	for range 50 {
		rows, err := clients[i].Query(context.Background(), text, i)
		if err == nil {
			rows.Close()
			err = rows.Err()
		}
		if err != nil {
			b.Error(err)
			return
		}
	}
}

func connectBench(b *testing.B, u *url.URL, addr string) *pgx.Conn {
	to := *u
	to.Host = addr
	c, err := pgx.Connect(context.Background(), to.String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}
