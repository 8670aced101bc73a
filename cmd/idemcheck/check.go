package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/report"
)

func checkCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "check [DIR|FILE]",
		Short: "judge a stored run again, and print the verdict",
		Long: `check reads a history (history.jsonl of a run) and judges it by the rules of this
version. The file alone is enough: it holds the contract and what every observer saw.
What was accepted then is taken from the report.json beside it, if there is one.
Without an argument it takes the last run, .idemcheck/latest; of a run of proxy, each
file of what was struck. It writes nothing.

Exit codes: 0 pass, 1 fail, 2 no history, 3 inconclusive.`,
		Example: `  idemcheck check
  idemcheck check .idemcheck/r7k2m9
  idemcheck check history.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			files, err := proxyHistories(args)
			if err != nil {
				return err
			}
			if len(files) > 0 {
				return checkEach(cmd, files, output)
			}
			return checkOne(cmd, args, output)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

func checkOne(cmd *cobra.Command, args []string, output string) error {
	r, dir, known, err := judgeStored(args, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if known {
		r.Dir = dir // its plans and pages are there
	}
	return show(cmd.OutOrStdout(), r, output)
}

// readHistory reads a file; one that was cut off is read as far as it goes.
func readHistory(file string, warnings io.Writer) (history.History, error) {
	f, err := os.Open(file)
	if err != nil {
		return history.History{}, err
	}
	defer f.Close()
	h, err := history.Read(f)
	if cut := (*history.Truncated)(nil); errors.As(err, &cut) {
		fmt.Fprintf(warnings, "idemcheck: %s: %v\n", file, cut)
	} else if err != nil {
		return h, fmt.Errorf("%s: %w", file, err)
	}
	if len(h.Events) == 0 {
		return h, fmt.Errorf("%s: the history holds no events: nothing can be judged", file)
	}
	return h, nil
}

// took is the time from the first to the last event.
func took(h history.History) time.Duration {
	return time.Duration(h.Events[len(h.Events)-1].At)
}

// outputFlag adds --output.
func outputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVar(output, "output", "text", "text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

func checkOutput(output string) error {
	if output != "text" && output != "json" {
		return fmt.Errorf("--output %q: want text or json", output)
	}
	return nil
}

// show prints a judged run and turns its verdict into an exit code.
func show(w io.Writer, r report.Run, output string) error {
	print := report.Text
	if output == "json" {
		print = report.JSON
	} else if f, ok := w.(*os.File); ok {
		r.Color = report.Color(f)
	}
	return verdict(r, print(w, r))
}

// verdict turns that of a run which was shown into an exit code.
func verdict(r report.Run, shown error) error {
	if code := report.Exit(r); shown == nil && code != exitPass {
		return &exitError{code: code}
	}
	return shown
}
