package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/internal/report"
)

// Files of a run of the proxy.
const (
	trafficFile = "traffic.json"
	proxyPage   = "proxy.html"
)

// proxyRun says whether a stored run is one of the proxy, and where it is.
func proxyRun(args []string) (dir string, is bool, err error) {
	dir, _, err = storedRun(args)
	if err != nil {
		return "", false, err
	}
	if len(args) > 0 && filepath.Base(args[0]) == trafficFile {
		return dir, true, nil
	}
	if len(args) > 0 { // a file of the history is judged like any other
		if info, err := os.Stat(args[0]); err == nil && !info.IsDir() && filepath.Base(args[0]) != "latest" {
			return dir, false, nil
		}
	}
	_, err = os.Stat(filepath.Join(dir, trafficFile))
	return dir, err == nil, nil
}

// proxyHistories are the files of what a stored run of the proxy struck; none of another run.
func proxyHistories(args []string) ([]string, error) {
	dir, is, err := proxyRun(args)
	if err != nil || !is {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "history-*.jsonl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no history of the proxy: nothing was struck, or none was kept; idemcheck report shows what it learned", dir)
	}
	return files, err
}

// checkEach judges each of the files; the worst exit code wins.
func checkEach(cmd *cobra.Command, files []string, output string) (worst error) {
	rank := []int{exitPass, exitInconclusive, exitFail, exitUsage}
	code := exitPass
	for _, file := range files {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", file)
		err := checkOne(cmd, []string{file}, output)
		got := exitPass
		if exit := (*exitError)(nil); errors.As(err, &exit) {
			got = exit.code
		} else if err != nil {
			return err
		}
		if slices.Index(rank, got) > slices.Index(rank, code) {
			code, worst = got, err
		}
	}
	return worst
}

// makePage shows what a stored run of the proxy learned, and writes its page again.
func makePage(dir string, out io.Writer) error {
	r, err := readTraffic(dir)
	if err != nil {
		return err
	}
	file, ok := out.(*os.File)
	if err := r.Text(out, ok && report.Color(file)); err != nil {
		return err
	}
	page := filepath.Join(dir, proxyPage)
	w, err := os.Create(page)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := r.HTML(w, false); err != nil {
		return err
	}
	fmt.Fprintln(out, page)
	return w.Close()
}

func readTraffic(dir string) (traffic.Report, error) {
	name := filepath.Join(dir, trafficFile)
	f, err := os.Open(name)
	if err != nil {
		return traffic.Report{}, err
	}
	defer f.Close()
	r, err := traffic.ReadReport(f)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
