package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// recordTo is where a run writes its history, and what it tells of its progress.
type recordTo struct {
	out   io.Writer
	shown progress
}

// recordRun makes the folder of a run, runs what fills in a report, and keeps the
// report beside the history. An error has its exit code.
func recordRun(notes io.Writer, r report.Run, id string, run func(recordTo, *report.Run) error) (report.Run, error) {
	dir, err := openRun(id)
	if err != nil {
		return r, err
	}
	out, err := os.Create(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		return r, err
	}
	progress := startProgress(notes)
	begin := time.Now()
	err = run(recordTo{out, progress}, &r)
	progress.end()
	if err = errors.Join(err, out.Close()); err != nil {
		return r, exitFor(err)
	}
	r.Dir, r.Took = dir, time.Since(begin)
	return r, keep(dir, r)
}

// exitFor gives errors of a run their exit codes.
func exitFor(err error) error {
	if away := (*scenarios.UnreachableError)(nil); errors.As(err, &away) {
		return &exitError{exitUnreachable, err}
	}
	return &exitError{exitUsage, err}
}

// progress shows on a terminal how far the run is.
type progress struct {
	w    io.Writer
	live bool
}

func startProgress(w io.Writer) progress {
	f, ok := w.(*os.File)
	return progress{w, ok && report.Color(f)}
}

func (p progress) show(done, total int, name string) {
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%d/%d %s", done, total, name)
	}
}

func (p progress) end() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
