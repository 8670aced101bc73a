package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/scenarios"
)

func listCommand() *cobra.Command {
	topics := []string{"scenarios", "rules", "faults", "contracts"}
	return &cobra.Command{
		Use:   "list [scenarios|rules|faults|contracts|NAME]",
		Short: "what there is: scenarios, rules, faults, contracts, or one of them by name",
		Long: `list prints the catalogue. With the name of a scenario it prints the plan as
YAML, to be copied and changed: idemcheck run FILE runs it.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(topics, names()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listAll(cmd.OutOrStdout())
			}
			return listOne(cmd.OutOrStdout(), args[0], append(topics, names()...))
		},
	}
}

// names are all names of the catalogue.
func names() []string {
	var all []string
	for _, p := range scenarios.Catalogue() {
		all = append(all, p.Name)
	}
	for _, r := range checkers.Catalogue {
		all = append(all, r.Name)
	}
	for _, c := range contract.Catalogue {
		all = append(all, c.Name)
	}
	for _, f := range inject.Faults {
		if !slices.Contains(all, f.Fault.Name) { // repeat is a scenario as well
			all = append(all, f.Fault.Name)
		}
	}
	return all
}

func listAll(w io.Writer) error {
	for i, topic := range []func(io.Writer) error{listScenarios, listRules, listFaults, listContracts} {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := topic(w); err != nil {
			return err
		}
	}
	return nil
}

func listOne(w io.Writer, name string, legal []string) error {
	switch name {
	case "scenarios":
		return listScenarios(w)
	case "rules":
		return listRules(w)
	case "faults":
		return listFaults(w)
	case "contracts":
		return listContracts(w)
	}
	if p, ok := scenarios.Lookup(name); ok {
		_, err := fmt.Fprint(w, p.Source)
		return err
	}
	if r, ok := checkers.Lookup(name); ok {
		_, err := fmt.Fprintf(w, "%s\n%s\n", r.Name, r.Doc)
		return err
	}
	if c, ok := contract.Lookup(name); ok {
		return listContract(w, c)
	}
	if rows := faultRows(name); len(rows) > 0 {
		return table(w, name, rows)
	}
	return fmt.Errorf("list: nothing is named %q%s", name, strict.DidYouMean(name, legal))
}

// table writes rows of two or three columns under a title.
func table(w io.Writer, title string, rows [][]string) error {
	fmt.Fprintln(w, title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(t, "  %s\n", strings.Join(r, "\t"))
	}
	return t.Flush()
}

func listScenarios(w io.Writer) error {
	var rows [][]string
	for _, p := range scenarios.Catalogue() {
		rows = append(rows, []string{p.Name, p.Title})
	}
	return table(w, "scenarios (idemcheck list NAME prints the plan)", rows)
}

func listRules(w io.Writer) error {
	var rows [][]string
	for _, r := range checkers.Catalogue {
		rows = append(rows, []string{r.Name, r.Doc})
	}
	return table(w, "rules", rows)
}

func listFaults(w io.Writer) error { return table(w, "faults", faultRows("")) }

// faultRows are the faults of a name, one for each site; "" means all.
func faultRows(name string) (rows [][]string) {
	for _, f := range inject.Faults {
		if name != "" && f.Fault.Name != name {
			continue
		}
		doc := f.Doc
		if f.Arg != "" {
			doc += " Takes " + f.Arg + "."
		}
		rows = append(rows, []string{f.Fault.Name, f.Site, doc})
	}
	return rows
}

func listContracts(w io.Writer) error {
	var rows [][]string
	for _, c := range contract.Catalogue {
		rows = append(rows, []string{c.Name, c.Doc})
	}
	return table(w, "contracts", rows)
}
