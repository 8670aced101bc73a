package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/strict"
)

func (f *proxyFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "the configuration (default idemcheck.yaml, if it is there)")
	flags.StringVar(&f.listen, "listen", "", "where callers come in: an address, or unix:/path (default "+settings.DefaultAddress+")")
	flags.StringSliceVar(&f.to, "to", nil, "the service: http://, https:// or h2c:// with host and port, or unix:/path; again for each replica")
	flags.StringSliceVar(&f.allow, "allow", nil, "hosts of --to that are not on loopback")
	flags.StringVar(&f.page, "page", "", "where the page is: an address, or none (default a free port on loopback)")
	flags.StringVar(&f.share, "share", "", "how many of the requests are struck (default 5%)")
	flags.StringVar(&f.fault, "fault", "", `what happens to them, as in "late: 30s" (default repeat)`)
	flags.IntVar(&f.budget, "budget", 0, "how many copies are sent in a minute at most (default 600)")
	flags.Uint64Var(&f.seed, "seed", 0, "chooses the requests (default random); also IDEMCHECK_SEED")
	flags.DurationVar(&f.time, "for", 0, "how long it runs (default until it is interrupted)")
	flags.DurationVar(&f.wait, "wait", 10*time.Second, "how long the service is waited for at the start; 0: it must be there")
	flags.StringVar(&f.fail, "fail", "likely", "what makes the exit code 1: certain or likely; never: it is 0 whatever was learned")
	outputFlag(cmd, &f.output)
	_ = cmd.RegisterFlagCompletionFunc("fail", cobra.FixedCompletions(failLevels, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("fault", cobra.FixedCompletions(faultNames(), cobra.ShellCompDirectiveNoFileComp))
}

var failLevels = []string{"certain", "likely", "never"}

func faultNames() (names []string) {
	for _, l := range settings.Faults {
		names = append(names, l.Fault.Name+"\t"+l.Doc)
	}
	return names
}

// check refuses flags that mean nothing, and a command that is not there.
func (f *proxyFlags) check(cmd *cobra.Command, args []string) error {
	said := cmd.Flags().Changed
	switch {
	case f.budget < 1 && said("budget"):
		return fmt.Errorf("--budget %d: want 1 or more", f.budget)
	case f.time <= 0 && said("for"):
		return fmt.Errorf("--for %v: want a duration, as in 10m; without it the proxy runs until it is interrupted", f.time)
	case f.wait < 0:
		return fmt.Errorf("--wait %v: want a duration, as in 10s", f.wait)
	case !slices.Contains(failLevels, f.fail):
		return fmt.Errorf("--fail %q%s: want %s", f.fail, strict.DidYouMean(f.fail, failLevels), strings.Join(failLevels, ", "))
	}
	if len(args) > 0 {
		if _, err := exec.LookPath(args[0]); err != nil {
			return fmt.Errorf("the command after --: %w", err)
		}
	}
	return checkOutput(f.output)
}

// load reads the configuration; nil: there is none, and none is needed.
func (f *proxyFlags) load() (*config.File, error) {
	file, err := config.Load(cmp.Or(f.file, "idemcheck.yaml"))
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	switch {
	case f.file != "":
		return nil, fmt.Errorf("there is no %s here", f.file)
	case len(f.to) == 0:
		return nil, errors.New("where is the service? Say --to http://127.0.0.1:9000, or have an idemcheck.yaml with target: here")
	}
	return nil, nil
}

// settings are those of the file with the flags over them.
func (f *proxyFlags) settings(file *config.File) (set settings.Settings, err error) {
	if file != nil {
		set = fromFile(file)
	}
	if f.listen != "" {
		set.Listen = []settings.Listen{{Address: f.listen}}
	}
	if len(set.Listen) == 0 {
		set.Listen = []settings.Listen{{Address: settings.DefaultAddress}}
	}
	if len(f.to) > 0 {
		set.To = nil
	}
	for _, to := range f.to {
		set.To = append(set.To, settings.Upstream{URL: to})
	}
	if len(set.To) == 0 {
		return set, fmt.Errorf("%s: where is the service? Add  target: http://127.0.0.1:9000 , or say --to", file.Name)
	}
	set.Page = cmp.Or(f.page, set.Page, "127.0.0.1:0")
	if set.Page == "none" {
		set.Page = ""
	}
	set.Budget = cmp.Or(f.budget, set.Budget)
	return set, errors.Join(f.strikes(&set), f.checkPlaces())
}

// fromFile is the block proxy: of a file; without one, its target is what it stands before.
func fromFile(file *config.File) (set settings.Settings) {
	if file.Proxy != nil {
		return *file.Proxy
	}
	for _, to := range append([]string{file.Target}, file.Replicas...) {
		if to != "" {
			set.To = append(set.To, settings.Upstream{URL: to})
		}
	}
	return set
}

// strikes reads the flags that say what is struck.
func (f *proxyFlags) strikes(set *settings.Settings) (err error) {
	if f.share != "" {
		if set.Share, err = settings.ParsePercent(f.share); err != nil {
			return fmt.Errorf("--share: %w", err)
		}
	}
	if f.fault != "" {
		if set.Fault, err = settings.ParseFault(f.fault); err != nil {
			return fmt.Errorf("--fault: %w", err)
		}
	}
	return nil
}

// checkPlaces refuses addresses that are none, and hosts that nobody allowed.
func (f *proxyFlags) checkPlaces() error {
	if f.listen != "" {
		if _, _, err := settings.ParseListen(f.listen); err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
	}
	for _, to := range f.to {
		a, err := settings.ParseAddress(to)
		switch {
		case err != nil:
			return fmt.Errorf("--to: %w", err)
		case a.Network != "unix" && !settings.IsLoopback(a.Host) && !slices.Contains(f.allow, a.Host):
			return fmt.Errorf("--to %s: %s is not on this machine: a share of the requests will be sent to it twice; if that is meant, say --allow %s", to, a.Host, a.Host)
		}
	}
	return nil
}
