package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/schema"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [config|plan]",
		Short: "print the JSON Schema of idemcheck.yaml, or of plan files, for editors",
		Long: `schema prints a JSON Schema (2020-12). Editors that know YAML schemas complete
names with it and mark what cannot be right; docs/configuration.md says how to
set one up.`,
		ValidArgs: []string{"config", "plan"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "config" && args[0] != "plan" {
				return fmt.Errorf("schema %s: want config or plan", strings.Join(args, " "))
			}
			return nil
		},
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
