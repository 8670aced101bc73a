package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// proxyFlags are the flags of proxy.
type proxyFlags struct {
	file, output, listen, page, share, fault, fail string
	to, allow                                      []string
	budget                                         int
	seed                                           uint64
	time, wait                                     time.Duration
}

func proxyCommand() *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy [-- COMMAND ARG...]",
		Short: "stand before a staging service, and repeat a share of its traffic",
		Long: `proxy relays the traffic of a service byte for byte, repeats a share of the
requests on connections of its own, and tells which routes cannot bear that. The
caller always gets the answer to its own request. It needs no file: --to says where
the service is. With an idemcheck.yaml that has operations: and effects: it counts
what repeats did; its block proxy: holds rules for what is struck, and how.

It runs until it is interrupted, for the time of --for, or as long as COMMAND,
which finds the address of the proxy in IDEMCHECK_PROXY. Then it finishes what is
on its way and prints what it learned. SIGUSR1 stops the repeats, SIGUSR2 lets
them go on. Use it on staging: what is not idempotent happens twice.

Exit codes: 0 all that was repeated held, 1 a route does not, or COMMAND failed,
2 usage or configuration, 3 nothing was repeated or a route is unknown,
4 the service is not there and --wait is 0.`,
		Example: `  idemcheck proxy --to http://127.0.0.1:9000
  idemcheck proxy --listen 127.0.0.1:8080 --to http://127.0.0.1:9000 --share 20% -- npm test
  idemcheck proxy -f idemcheck.yaml --for 10m --output json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return fmt.Errorf("%q: a command to run goes after --", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.flags(cmd)
	return cmd
}

func (f *proxyFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64N(1_000_000)
		if err := seedFromEnvironment(&f.seed); err != nil {
			return err
		}
	}
	file, err := f.load()
	if err != nil {
		return err
	}
	set, err := f.settings(file)
	if err != nil {
		return err
	}
	id, err := newRun()
	if err != nil {
		return err
	}
	opt := proxy.Options{Settings: set, Run: id, Seed: f.seed, Agent: tool()}
	opt.Log = func(line string) { fmt.Fprintf(cmd.ErrOrStderr(), "%s  %s\n", time.Now().Format(time.TimeOnly), line) }
	return f.stand(cmd, file, opt, args)
}

// stand starts the proxy, and ends it after its time.
func (f *proxyFlags) stand(cmd *cobra.Command, file *config.File, opt proxy.Options, args []string) (err error) {
	if file != nil {
		sys, end, err := file.Watch(config.Options{Run: opt.Run, Seed: opt.Seed, Agent: opt.Agent})
		if err != nil {
			return err
		}
		defer end()
		opt.System = sys
		for _, o := range file.Operations {
			opt.Operations = append(opt.Operations, proxy.Operation{Name: o.Name, Operation: o.Operation})
		}
	}
	if opt.Dir, err = openRun(opt.Run); err != nil {
		return err
	}
	p, err := proxy.Start(cmd.Context(), opt)
	if err != nil {
		return err
	}
	defer p.Close()
	defer listenForSwitch(p)()
	if err := f.awaitService(cmd.Context(), cmd.ErrOrStderr(), p); err != nil {
		return err
	}
	tellStart(cmd.ErrOrStderr(), p, opt)
	failed := f.during(cmd.Context(), cmd, p, args)
	if err := drain(cmd, p); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "idemcheck: %v\n", err)
	}
	return f.conclude(cmd.OutOrStdout(), p, failed)
}

// awaitService waits until the service can be reached.
func (f *proxyFlags) awaitService(ctx context.Context, notes io.Writer, p *proxy.Proxy) error {
	begin, told := time.Now(), false
	for {
		err := p.Ready(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case f.wait == 0:
			return &exitError{exitUnreachable, fmt.Errorf("the service can not be reached: %s", oneLine(err))}
		case time.Since(begin) > f.wait:
			fmt.Fprintf(notes, "idemcheck: the service can not be reached yet, and callers are told 502 until it is there: %s\n", oneLine(err))
			return nil
		case !told:
			fmt.Fprintf(notes, "waiting up to %v for the service: %s\n", f.wait, oneLine(err))
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// oneLine is an error that may be made of several.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// tellStart says what stands where, and what it does.
func tellStart(w io.Writer, p *proxy.Proxy, opt proxy.Options) {
	var to []string
	for _, u := range opt.To {
		to = append(to, u.URL)
	}
	fmt.Fprintf(w, "proxy %s · seed %d · %s\n", opt.Run, opt.Seed, counting(opt))
	for _, url := range p.URLs() {
		fmt.Fprintf(w, "  listens on  %s  for  %s\n", url, strings.Join(to, ", "))
	}
	if url := p.PageURL(); url != "" {
		fmt.Fprintf(w, "  page        %s\n", url)
	}
	fmt.Fprintf(w, "  kept in     %s\n", opt.Dir)
	for _, rule := range p.Report().State.Rules {
		fmt.Fprintf(w, "  strikes     %s\n", rule)
	}
	if len(opt.Exclude) > 0 {
		fmt.Fprintf(w, "  spares      %s\n", strings.Join(opt.Exclude, ", "))
	}
	fmt.Fprintf(w, "  at most     %d copies a minute%s\n", cmp.Or(opt.Budget, settings.DefaultBudget), switchHint(os.Getpid(), opt.Off))
}

// counting says by what effects are counted.
func counting(opt proxy.Options) string {
	if len(opt.System.Observers) == 0 {
		return "answers only: effects are not counted"
	}
	var names []string
	for _, o := range opt.System.Observers {
		names = append(names, o.Name)
	}
	return "effects: " + strings.Join(names, ", ")
}
