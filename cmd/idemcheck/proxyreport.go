package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

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
