package report

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// annotations is how many annotations GitHub shows of one step.
const annotations = 10

// Annotations writes workflow commands that GitHub shows beside the
// configuration: an error for each case that failed, those that are of another
// kind than the ones before first, then a warning for each inconclusive one, ten in all.
func Annotations(w io.Writer, r Run) error {
	var b bytes.Buffer
	first, others := r.failing(annotations)
	for _, c := range append(first, others...) {
		r.annotate(&b, "error", c, firstReason(c))
	}
	for _, c := range r.Report.Cases {
		if text := r.unjudged(c); text != "" {
			r.annotate(&b, "warning", c, text)
		}
	}
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	_, err := w.Write(bytes.Join(lines[:min(annotations, len(lines))], nil))
	return err
}

func (r Run) annotate(w io.Writer, level string, c checkers.Case, text string) {
	fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", level, property(r.file()), r.line(c), property("idemcheck "+r.label(c)), data(text))
}

// firstReason is the first sentence about a failed case.
func firstReason(c checkers.Case) string {
	if vs := failed(c); len(vs) > 0 {
		return vs[0].Reason
	}
	return ""
}

// data escapes the message of a workflow command.
func data(s string) string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		lines = append(lines, clean(line))
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(lines, "\n"))
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(clean(s)))
}

// pathURI is a path as a relative reference.
func pathURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	return strings.TrimPrefix(u.String(), "./")
}
