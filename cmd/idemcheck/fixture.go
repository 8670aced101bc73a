package main

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/fixtures/payments"
)

// fixtureCommand runs a service of fixtures as a process: for tests and for
// trying idemcheck by hand. It is not part of the tool that users see.
func fixtureCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "fixture", Hidden: true, Short: "run a service of fixtures/"}
	cmd.AddCommand(paymentsCommand())
	return cmd
}

func paymentsCommand() *cobra.Command {
	var cfg payments.Config
	var listen string
	cmd := &cobra.Command{
		Use:   "payments",
		Short: "run the payments service until it is interrupted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "payments listens on http://%s\n", l.Addr())
			return payments.Serve(cmd.Context(), l, cfg)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address")
	cmd.Flags().StringVar(&cfg.DSN, "db", "", "path of a SQLite file, or a postgres:// URL; empty: a temporary file")
	cmd.Flags().StringVar(&cfg.Provider, "provider", "", "base URL of the card provider; empty: charges are only booked")
	cmd.Flags().StringVar(&cfg.Instance, "instance", "", "name of this process: claims that an earlier one of that name left are given back at the start; empty: they run out")
	cmd.Flags().StringVar(&cfg.Defect, "defect", "", "name of a defect")
	cmd.Flags().StringVar(&cfg.Variant, "variant", "", "name of a sound variant")
	cmd.Flags().DurationVar(&cfg.Claim, "claim", 0, "how long a key counts as in progress")
	return cmd
}
