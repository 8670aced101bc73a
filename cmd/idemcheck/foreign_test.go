package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestForeign judges a service in another language by the configuration beside it.
func TestForeign(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		missing(t, "needs python3 on the path")
	}
	foreign, err := filepath.Abs("../../fixtures/foreign")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/foreign",
		RequireExplicitExec: true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FOREIGN", foreign)
			return nil
		},
	})
}
