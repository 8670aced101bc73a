package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

// open makes a configuration ready to be run: stand-ins and links listen, the
// workers are started, and all that is read from was asked. end undoes it. What
// a killed tool left in this directory is undone first, which is told to log.
func open(ctx context.Context, log io.Writer, file *config.File, opt config.Options) (sys scenarios.System, end func(), err error) {
	closeJournal, err := openJournal(log, file, &opt)
	if err != nil {
		return sys, nil, err
	}
	sys, closeSystem, err := file.System(opt)
	if err != nil {
		closeJournal()
		return sys, nil, err
	}
	end = func() { closeSystem(); closeJournal() }
	if err = file.Start(ctx, sys); err != nil { // the target is not there
		err = &exitError{exitUnreachable, err}
	} else {
		err = file.Ask(ctx, sys)
	}
	if err != nil {
		end()
		return sys, nil, err
	}
	return sys, end, nil
}

// openJournal opens the journal where there is something to note in it.
func openJournal(log io.Writer, file *config.File, opt *config.Options) (end func(), err error) {
	if len(file.Links)+len(file.Workers) == 0 {
		return func() {}, nil
	}
	if opt.Logs, err = makeRun(opt.Run); err != nil {
		return nil, err
	}
	j, undone, err := worker.OpenJournal(filepath.Join(home, "journal"))
	for _, what := range undone {
		fmt.Fprintf(log, "idemcheck: %s\n", what)
	}
	if err != nil {
		return nil, err
	}
	opt.Journal = j
	return func() {
		if err := j.Close(); err != nil {
			fmt.Fprintf(log, "idemcheck: %v\n", err)
		}
	}, nil
}
