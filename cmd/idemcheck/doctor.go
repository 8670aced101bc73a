package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/doctor"
	"github.com/idemcheck/idemcheck/scenarios"
)

func doctorCommand() *cobra.Command {
	var file, output string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "does the configuration work, and what would enable more",
		Long: `doctor sends each operation under test twice, and the second once more, without
any fault. It says whether they work, what each observer saw of them, which steps
passed through links and which points of code were met, which scenarios can run and
which line would enable the others, and what looks wrong. Workers are started, and
ended again.

Exit codes: 0 all works, 2 usage or configuration, 3 there is a problem, 4 target unreachable.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd, file, output) },
	}
	cmd.Flags().StringVarP(&file, "file", "f", "idemcheck.yaml", "the configuration")
	outputFlag(cmd, &output)
	return cmd
}

func examine(cmd *cobra.Command, name, output string) error {
	if err := checkOutput(output); err != nil {
		return err
	}
	id, err := newRun()
	if err != nil {
		return err
	}
	file, err := loadFile(name)
	if err != nil {
		return err
	}
	sys, end, err := open(cmd.Context(), cmd.ErrOrStderr(), file, config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return err
	}
	defer end()
	// No plans: what is left of a run is its calibration.
	_, h, err := scenarios.Run(cmd.Context(), sys, scenarios.Options{Run: id, Seed: 1, Plans: []scenarios.Plan{}, Tool: tool()})
	if err != nil {
		return exitFor(err)
	}
	return showExamination(cmd.OutOrStdout(), doctor.Examine(file, sys, h), output)
}

func showExamination(w io.Writer, r doctor.Report, output string) error {
	print := doctor.Text
	if output == "json" {
		print = doctor.JSON
	}
	if err := print(w, r); err != nil {
		return err
	}
	if !r.Healthy {
		return &exitError{code: exitInconclusive}
	}
	return nil
}
