package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/scenarios"
)

// mapFlags are the flags of map.
type mapFlags struct {
	file, output, worker string
	seed                 uint64
	only                 []string
	times                int
	idle                 time.Duration
}

// mapOutputs are the forms in which maps are printed.
var mapOutputs = []string{"text", "json", "markdown"}

func mapCommand() *cobra.Command {
	var f mapFlags
	cmd := &cobra.Command{
		Use:   "map [OPERATION...]",
		Short: "where can this service be killed without harm? Try every window between effect and commit",
		Long: `map learns each step that an operation makes: what it asks of a database or a
provider on the links of idemcheck.yaml, and its points of code. Then it strikes at
each of them, one at a time and each on a fresh operation:

  cut           the step is not delivered, the worker lives
  kill before   the step is not delivered, the worker is killed
  lose reply    the step is done, the worker lives and does not hear
  kill after    the step is done, the worker is killed before it hears
  held          the step is held while a repeat runs

A worker that was killed is started again, the caller sends again until it is
answered, the effects are counted, what is there is sent once more, and what
happened is judged. Without an argument every operation under
test gets its map. What was recorded is kept under .idemcheck/RUN.

Exit codes: 0 pass, 1 fail, 2 usage or configuration, 3 inconclusive, 4 target unreachable.`,
		Example: `  idemcheck map
  idemcheck map charge --only '2 lose reply'
  idemcheck map charge --only 'db COMMIT' --times 10`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVarP(&f.file, "file", "f", "idemcheck.yaml", "the configuration")
	cmd.Flags().StringArrayVar(&f.only, "only", nil, "only these windows: '2 lose reply', 'db COMMIT', 'held'")
	cmd.Flags().IntVar(&f.times, "times", 1, "how often each window is tried; the worst is shown")
	cmd.Flags().StringVar(&f.worker, "worker", "", "the worker that is killed (default the one that takes the step)")
	cmd.Flags().DurationVar(&f.idle, "idle", time.Second, "how long to watch while nothing is sent: what is seen then is left out")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "for drawn values; also IDEMCHECK_SEED")
	cmd.Flags().StringVar(&f.output, "output", "text", strings.Join(mapOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(mapOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses flags that mean nothing.
func (f mapFlags) check() error {
	switch {
	case !slices.Contains(mapOutputs, f.output):
		return fmt.Errorf("--output %q: want %s", f.output, strings.Join(mapOutputs, ", "))
	case f.times < 1:
		return fmt.Errorf("--times %d: want 1 or more", f.times)
	case f.idle <= 0:
		return fmt.Errorf("--idle %v: want a duration, as in 1s", f.idle)
	}
	return nil
}

func (f mapFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if !cmd.Flags().Changed("seed") {
		if err := seedFromEnvironment(&f.seed); err != nil {
			return err
		}
	}
	file, err := loadFile(f.file)
	if err != nil {
		return err
	}
	if err := underTest(file, args); err != nil {
		return err
	}
	id, err := newRun()
	if err != nil {
		return err
	}
	if err := unusedRun(id); err != nil {
		return err
	}
	sys, end, err := open(cmd.Context(), cmd.ErrOrStderr(), file, config.Options{Run: id, Seed: f.seed, Agent: tool()})
	if err != nil {
		return err
	}
	defer end()
	return f.execute(cmd, file, sys, scenarios.MapOptions{Run: id, Seed: f.seed, Operations: args, Only: f.only,
		Times: f.times, Worker: f.worker, Idle: f.idle, Tool: tool()})
}

// underTest refuses operations that are not.
func underTest(file *config.File, names []string) error {
	known := tested(file)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no operation under test is called %q%s: %s has %s", name, strict.DidYouMean(name, known), file.Name, strings.Join(known, ", "))
		}
	}
	return nil
}

// execute draws the maps, keeps and shows them.
func (f mapFlags) execute(cmd *cobra.Command, file *config.File, sys scenarios.System, opt scenarios.MapOptions) error {
	if err := opt.Fits(sys); err != nil {
		return exitFor(err)
	}
	r, err := recordRun(cmd.ErrOrStderr(), about(file, scenarios.Options{}, sys), opt.Run, func(rec recordTo, r *report.Run) (err error) {
		opt.Out, opt.Progress = rec.out, rec.shown.show
		r.Maps, r.Report, r.History, err = scenarios.RunMap(cmd.Context(), []scenarios.System{sys}, opt)
		return err
	})
	if err != nil {
		return err
	}
	if err := tellGitHub(cmd.ErrOrStderr(), r.Dir, r); err != nil {
		return err
	}
	if f.output == "markdown" {
		return verdict(r, report.Markdown(cmd.OutOrStdout(), r))
	}
	return show(cmd.OutOrStdout(), r, f.output)
}
