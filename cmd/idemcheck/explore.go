package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	file, output string
	seed         uint64
	time         time.Duration
	plans, times int
	first        bool
}

// foundPlans is where plans that failed once wait for the next search.
var foundPlans = filepath.Join(home, "found")

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore [OPERATION...]",
		Short: "search for what no scenario lists: plans are drawn, run, and cut down where they fail",
		Long: `explore draws plans for what idemcheck.yaml lets it do: repeats, overlaps, lost
answers, failing providers, other keys and payloads, ageing, waiting, other
replicas and tenants, killed workers, broken links. It runs them until the time is
over. A plan that fails is run again with less and less in it, as long as it breaks
the same rule; what is left is tried a few times more, and told with its rate.
Failures that are alike are told once.

Each is kept as a plan file with a story, under .idemcheck/RUN and under
.idemcheck/found: the next search runs those first. idemcheck run FILE runs one.

The same seed draws the same plans. Without --seed it is random, and shown.

Exit codes: 0 pass, 1 fail, 2 usage or configuration, 3 inconclusive, 4 target unreachable.`,
		Example: `  idemcheck explore
  idemcheck explore charge --time 10m
  idemcheck explore --plans 200 --seed 7`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVarP(&f.file, "file", "f", "idemcheck.yaml", "the configuration")
	cmd.Flags().DurationVar(&f.time, "time", 0, "no plan is drawn after it (default 1m, or no limit with --plans)")
	cmd.Flags().IntVar(&f.plans, "plans", 0, "how many plans are drawn at most")
	cmd.Flags().IntVar(&f.times, "times", 5, "how often what was found is tried again")
	cmd.Flags().BoolVar(&f.first, "first", false, "end with the first failure")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "draws the plans (default random); also IDEMCHECK_SEED")
	outputFlag(cmd, &f.output)
	return cmd
}

// check refuses flags that mean nothing.
func (f exploreFlags) check() error {
	switch {
	case f.plans < 0:
		return fmt.Errorf("--plans %d: want 1 or more", f.plans)
	case f.times < 1:
		return fmt.Errorf("--times %d: want 1 or more", f.times)
	case f.time < 0:
		return fmt.Errorf("--time %v: want a duration, as in 1m", f.time)
	}
	return checkOutput(f.output)
}

func (f exploreFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64N(1_000_000)
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
	saved, err := savedPlans(cmd.ErrOrStderr(), foundPlans)
	if err != nil {
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
	return f.execute(cmd, file, sys, scenarios.ExploreOptions{Run: id, Seed: f.seed, Operations: args, Saved: saved,
		Plans: f.plans, Time: f.time, Times: f.times, First: f.first, Tool: tool()})
}

// savedPlans are the plans that earlier searches found. One that can not be read
// any more is named and left out.
func savedPlans(notes io.Writer, dir string) (plans []scenarios.Plan, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := scenarios.Parse(name, b)
		if err != nil {
			fmt.Fprintf(notes, "idemcheck: left out: %v\n", err)
			continue
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// execute searches, keeps and shows.
func (f exploreFlags) execute(cmd *cobra.Command, file *config.File, sys scenarios.System, opt scenarios.ExploreOptions) error {
	var saving error
	r, err := recordRun(cmd.ErrOrStderr(), about(file, scenarios.Options{}, sys), opt.Run, func(rec recordTo, r *report.Run) error {
		opt.Out = rec.out
		opt.Progress = func(did scenarios.Explored) { rec.shown.explored(did) }
		opt.Found = func(found scenarios.Find) {
			rec.shown.end()
			fmt.Fprintf(cmd.ErrOrStderr(), "found %s in plan %d: %s\n", found.Case, found.Number, found.Reason)
			saving = errors.Join(saving, saveFound(found))
		}
		did, judged, h, err := scenarios.Explore(cmd.Context(), sys, opt)
		r.History, r.Report, r.Explored = h, judged, &did
		return err
	})
	if err != nil {
		return err
	}
	var plans []scenarios.Plan
	for _, found := range r.Explored.Finds {
		plans = append(plans, found.Plan)
	}
	if err := errors.Join(saving, keepPlans(r.Dir, r, plans), tellGitHub(cmd.ErrOrStderr(), r.Dir, r)); err != nil {
		return err
	}
	return show(cmd.OutOrStdout(), r, f.output)
}

// saveFound keeps a plan for the next search, as soon as it is found.
func saveFound(found scenarios.Find) error {
	if err := os.MkdirAll(foundPlans, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(foundPlans, found.Plan.Name+".yaml"), []byte(found.Plan.Source), 0o644)
}

// explored shows on a terminal how far a search is.
func (p progress) explored(did scenarios.Explored) {
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%d plans, %d failures, %.0f s", did.Plans, len(did.Finds), did.Seconds)
	}
}
