package worker

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAsks: an address at the worker's end, and its number, are the worker's.
func TestAsks(t *testing.T) {
	addr := address(t)
	api := run(t, with(command("serve", addr), Ready{Addr: addr}))
	other := New(with(command("sleep", ""), Ready{}), nil)
	must(t, other.Start(t.Context()))
	defer func() { must(t, other.Kill()) }()

	answer, err := http.Get("http://" + addr)
	must(t, err)
	defer answer.Body.Close()
	pid, err := io.ReadAll(answer.Body)
	must(t, err)
	for from, want := range map[string]bool{
		addr:                                    true,
		"pid " + strings.TrimSpace(string(pid)): true,
		fmt.Sprint("pid ", other.last.pid()):    false,
		"127.0.0.1:1":                           false,
		"[::1]:1":                               false,
		"pid x":                                 false,
		"@":                                     false,
		"":                                      false,
	} {
		if got := api.Asks(from); got != want {
			t.Errorf("Asks(%q) = %v", from, got)
		}
		if other.Asks(from) != (from == fmt.Sprint("pid ", other.last.pid())) {
			t.Errorf("the other's Asks(%q)", from)
		}
	}
}
