package main

import (
	"context"
	"fmt"
	"testing"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

func TestZZ(t *testing.T) {
	p := twins[os.Getenv("ZZ")]
	w := newWorld()
	defer w.end()
	var h http.Handler = p.broken(w)
	s := httptest.NewServer(h)
	defer s.Close()
	text := fmt.Sprintf("target: [%s]\ncontract: {replay: verbatim, mismatch: 422}\nsettle: {bound: 1s}\n%s%s%s", s.URL, scopes, ordinary, "effects:\n  done: {http: \"GET "+w.url+"/${id}\", count: /n, scoped: true}\n")
	file, err := config.Parse("zoo.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	id, _ := newRun()
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	plan, _ := scenarios.Lookup(os.Getenv("ZZP"))
	r, hi, err := scenarios.Run(context.Background(), sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: []scenarios.Plan{plan}})
	for _, e := range hi.Events {
		fmt.Println(e.Seq, e.At/1000, e.Case, e.Kind, e.Name, e.Op, e.Attempt, e.Actor, e.Status, e.Body)
	}
	fmt.Println(tellAll(r), err)
}
