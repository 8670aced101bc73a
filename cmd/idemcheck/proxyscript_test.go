package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestProxyForeign stands before services in another language.
func TestProxyForeign(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		missing(t, "needs python3 on the path")
	}
	foreign, err := filepath.Abs("../../fixtures/foreign")
	if err != nil {
		t.Fatal(err)
	}
	proxied, err := filepath.Abs("testdata/proxy")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/proxy", RequireExplicitExec: true, Cmds: commands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FOREIGN", foreign)
			env.Setenv("PROXIED", proxied)
			return nil
		},
	})
}
