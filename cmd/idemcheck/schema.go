package main

import (
	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/schema"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [config|plan]",
		Short: "print the JSON Schema of idemcheck.yaml, or of plan files, for editors",
		Long: `schema prints a JSON Schema (2020-12). Editors that know YAML schemas complete
names with it and mark what can not be right; docs/configuration.md says how to
set one up.`,
		ValidArgs: []string{"config", "plan"},
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := schema.Config()
			if len(args) > 0 && args[0] == "plan" {
				text = schema.Plan()
			}
			_, err := cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
