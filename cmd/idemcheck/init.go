package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/draft"
)

// initFlags are the flags of init.
type initFlags struct{ openapi, curl, out string }

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "write a first idemcheck.yaml, from an OpenAPI document, a curl line, or nothing",
		Long: `init writes an idemcheck.yaml to go on with. From an OpenAPI document (version 3)
it takes the operations that change something, their keys, bodies and what must
exist first; from a curl line one operation; without either it writes a starter
with comments. It asks nothing, sends nothing to the service and overwrites
nothing. What it guessed has a comment; then: idemcheck doctor.`,
		Example: `  idemcheck init
  idemcheck init --openapi openapi.yaml
  idemcheck init --curl 'curl http://127.0.0.1:8080/charges -H "Idempotency-Key: x" -d order=17'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cmd.Flags().StringVar(&f.openapi, "openapi", "", "file or URL of an OpenAPI document")
	cmd.Flags().StringVar(&f.curl, "curl", "", "a curl line in quotes")
	cmd.Flags().StringVarP(&f.out, "out", "o", "idemcheck.yaml", "the file to write; - prints it")
	cmd.MarkFlagsMutuallyExclusive("openapi", "curl")
	return cmd
}

func (f initFlags) run(cmd *cobra.Command) error {
	text, d := []byte(draft.Starter), &draft.File{}
	var err error
	switch {
	case f.openapi != "":
		var b []byte
		if b, err = fetch(cmd.Context(), f.openapi); err == nil {
			d, err = draft.FromOpenAPI(b)
		}
	case f.curl != "":
		d, err = draft.FromCurl(f.curl, os.ReadFile)
	}
	if err != nil {
		return err
	}
	if f.openapi+f.curl != "" {
		text = d.YAML()
	}
	if f.out == "-" {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	if err := writeNew(f.out, text); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and is not overwritten: -o names another file, -o - prints it", f.out)
	} else if err != nil {
		return err
	}
	f.say(cmd.OutOrStdout(), d)
	return nil
}

// say tells what was written and what is left to do.
func (f initFlags) say(w io.Writer, d *draft.File) {
	fmt.Fprintf(w, "wrote %s\n", f.out)
	for _, n := range d.Notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	for _, s := range d.Secrets {
		fmt.Fprintf(w, "  set the environment variable %s (%s)\n", s.Name, s.For)
	}
	also := ""
	if f.out != "idemcheck.yaml" {
		also = " --file " + f.out
	}
	fmt.Fprintf(w, "next: read it through, start the service, then  idemcheck doctor%s\n", also)
}

// fetch reads a file or what an http URL answers.
func fetch(ctx context.Context, from string) ([]byte, error) {
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		in, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return io.ReadAll(io.LimitReader(in, draft.MaxOpenAPI+1))
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", tool())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", from, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, draft.MaxOpenAPI+1))
}
