// Command idemcheck finds the places where a repeated delivery changes the
// world twice, or never.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// Exit codes.
const (
	exitPass         = 0
	exitFail         = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitUnreachable  = 4
)

// exitError ends the command with a code; without an Err all was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ending...)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitPass
	}
	exit := &exitError{code: exitUsage, err: err}
	errors.As(err, &exit)
	if exit.err != nil && ctx.Err() != nil { // it went wrong because it was ended
		exit = &exitError{exitInconclusive, errors.New("interrupted: nothing was judged")}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "idemcheck: %v\n", exit.err)
	}
	return exit.code
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "idemcheck",
		Short: "find where a repeated delivery changes the world twice, or never",
		Long: `idemcheck sends real operations to a real service, repeats, loses and overlaps
them, and judges what happened in business terms: one charge per order, nothing
acknowledged is lost, the same answer for every repeat.

  idemcheck demo                see it at work on an embedded payments service
  idemcheck run                 check the service that idemcheck.yaml describes
  idemcheck run lost-answer     one scenario of the catalogue
  idemcheck map charge          kill the service between effect and commit, everywhere
  idemcheck explore             search for what no scenario lists
  idemcheck proxy               stand before a staging service, repeat a share of its traffic
  idemcheck init                write a first idemcheck.yaml
  idemcheck doctor              does it work, and what would enable more
  idemcheck check               judge the last run again
  idemcheck report              make its reports again
  idemcheck list                scenarios, rules, faults and contracts

Exit codes: 0 pass, 1 fail, 2 usage or configuration, 3 inconclusive, 4 target unreachable.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          known,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(runCommand(), mapCommand(), exploreCommand(), proxyCommand(), initCommand(), doctorCommand(), demoCommand(), checkCommand(), reportCommand(), listCommand(), schemaCommand(), fixtureCommand())
	return root
}

// known refuses what is no command, with the one that was probably meant.
func known(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; there are %s", args[0], strict.DidYouMean(args[0], names), strings.Join(names, ", "))
}

// version is the module's version, "devel" for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// tool names this program in headers and requests.
func tool() string { return "idemcheck/" + version() }
