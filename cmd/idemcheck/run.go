package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/draft"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/scenarios"
)

// runFlags are the flags of run.
type runFlags struct {
	file, output string
	ops          []string
	seed         uint64
	curl, allow  string
	draft        *draft.File // of curl
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [SCENARIO|FILE...]",
		Short: "check the service that idemcheck.yaml describes",
		Long: `run sends the operations of idemcheck.yaml to its target, faults them, counts
their effects and judges what happened. Without arguments it runs the whole
catalogue; else the scenarios and plan files that are named. What it recorded is
kept under .idemcheck/RUN.

With --curl no file is needed: the operation is read from a curl line, a few
scenarios are run for at most half a minute, and idemcheck.yaml is written if
there is none.

Exit codes: 0 pass, 1 fail, 2 usage or configuration, 3 inconclusive, 4 target unreachable.`,
		Example: `  idemcheck run
  idemcheck run lost-answer overlap --op charge
  idemcheck run .idemcheck/r7k2m9/lost-answer-charge.yaml
  idemcheck run --curl 'curl http://127.0.0.1:8080/charges -H "Idempotency-Key: x" --json "{...}"'`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, p := range scenarios.Catalogue() {
				all = append(all, p.Name+"\t"+p.Title)
			}
			return all, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVarP(&f.file, "file", "f", "idemcheck.yaml", "the configuration")
	cmd.Flags().StringSliceVar(&f.ops, "op", nil, "only these operations")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "for drawn values; also IDEMCHECK_SEED")
	cmd.Flags().StringVar(&f.curl, "curl", "", "a curl line in quotes, for a first try without a file")
	cmd.Flags().StringVar(&f.allow, "allow", "", "with --curl: the host that may be touched, if it is not on loopback")
	outputFlag(cmd, &f.output)
	return cmd
}

func (f runFlags) run(cmd *cobra.Command, args []string) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	plans, err := plansOf(args)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("seed") {
		if err := seedFromEnvironment(&f.seed); err != nil {
			return err
		}
	}
	id, err := newRun()
	if err != nil {
		return err
	}
	file, err := f.load(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if f.curl != "" && len(args) == 0 {
		plans = firstPlans()
		file.Limits.Run = firstTryTime
	}
	if err := unusedRun(id); err != nil {
		return err
	}
	if err := f.checkOps(file, plans); err != nil {
		return err
	}
	sys, end, err := open(cmd.Context(), cmd.ErrOrStderr(), file, config.Options{Run: id, Seed: f.seed, Agent: tool()})
	if err != nil {
		return err
	}
	defer end()
	if err := f.checkCases(sys, plans); err != nil {
		return err
	}
	return f.execute(cmd, file, sys, scenarios.Options{Run: id, Seed: f.seed, Plans: plans, Operations: f.ops, Tool: tool()})
}

// load reads the configuration, or makes it of the curl line.
func (f *runFlags) load(notes io.Writer) (*config.File, error) {
	if f.curl != "" {
		return f.fromCurl(notes)
	}
	if f.allow != "" {
		return nil, errors.New("--allow goes with --curl: in a file, write  allow: [HOST]")
	}
	return loadFile(f.file)
}

// loadFile reads a configuration, and says what to do if there is none.
func loadFile(name string) (*config.File, error) {
	file, err := config.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s here: idemcheck init writes one (a target: and one operation are enough, see the README), --file names another, run --curl needs none, demo shows what to expect", name)
	}
	return file, err
}

// execute runs, keeps and shows.
func (f runFlags) execute(cmd *cobra.Command, file *config.File, sys scenarios.System, opt scenarios.Options) error {
	r, err := recordRun(cmd.ErrOrStderr(), about(file, opt, sys), opt.Run, func(rec recordTo, r *report.Run) (err error) {
		opt.Out, opt.Progress = rec.out, rec.shown.show
		r.Report, r.History, err = scenarios.Run(cmd.Context(), sys, opt)
		return err
	})
	if err != nil {
		return err
	}
	if err := errors.Join(keepPlans(r.Dir, r, opt.Plans), tellGitHub(cmd.ErrOrStderr(), r.Dir, r)); err != nil {
		return err
	}
	shown := show(cmd.OutOrStdout(), r, f.output)
	if err := f.keepDraft(cmd.ErrOrStderr(), r.Dir); err != nil {
		return err
	}
	return shown
}

// plansOf reads the scenarios and files that are named; none means all.
func plansOf(args []string) ([]scenarios.Plan, error) {
	if len(args) == 0 {
		return scenarios.Catalogue(), nil
	}
	var plans []scenarios.Plan
	for _, a := range args {
		if p, ok := scenarios.Lookup(a); ok {
			plans = append(plans, p)
			continue
		}
		if !strings.ContainsAny(a, `./\`) {
			return nil, fmt.Errorf("no scenario is named %q%s: idemcheck list scenarios", a, strict.DidYouMean(a, scenarioNames()))
		}
		b, err := os.ReadFile(a)
		if err != nil {
			return nil, err
		}
		p, err := scenarios.Parse(a, b)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func scenarioNames() []string {
	var names []string
	for _, p := range scenarios.Catalogue() {
		names = append(names, p.Name)
	}
	return names
}

func seedFromEnvironment(seed *uint64) error {
	text := os.Getenv("IDEMCHECK_SEED")
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("IDEMCHECK_SEED %q: want a whole number", text)
	}
	*seed = n
	return nil
}

// checkOps refuses operations that are not there, before anything is started.
func (f runFlags) checkOps(file *config.File, plans []scenarios.Plan) error {
	known := tested(file)
	for _, op := range f.ops {
		if !slices.Contains(known, op) {
			return fmt.Errorf("--op %s: no such operation under test%s: %s has %s", op, strict.DidYouMean(op, known), f.file, strings.Join(known, ", "))
		}
	}
	for _, p := range plans {
		if p.Operation != "" && !slices.Contains(known, p.Operation) {
			return fmt.Errorf("plan %s is for operation %s, which is not under test%s: %s has %s",
				p.Name, p.Operation, strict.DidYouMean(p.Operation, known), f.file, strings.Join(known, ", "))
		}
	}
	return nil
}

// tested are the names of the operations under test.
func tested(file *config.File) (names []string) {
	for _, o := range file.Operations {
		if o.Test {
			names = append(names, o.Name)
		}
	}
	return names
}

// checkCases refuses a run of nothing: it would say nothing.
func (f runFlags) checkCases(sys scenarios.System, plans []scenarios.Plan) error {
	var names []string
	for _, p := range plans {
		names = append(names, p.Name)
	}
	if len(scenarios.Cases(sys, plans, f.ops)) == 0 {
		return &exitError{exitInconclusive, fmt.Errorf("nothing to run: no operation under test is one that %s makes sense for (idemcheck list NAME says what a scenario does)",
			strings.Join(names, ", "))}
	}
	return nil
}
