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
// configuration: an error for each case that failed, then a warning for each
// inconclusive one, ten in all.
func Annotations(w io.Writer, r Run) error {
	var b bytes.Buffer
	left := annotations
	for _, want := range []state{failing, undecided} {
		for _, c := range r.Report.Cases {
			if r.state(c) != want || left == 0 {
				continue
			}
			left--
			level, text := "error", ""
			if want == failing {
				text = firstReason(c)
			} else {
				level, text = "warning", r.unjudged(c)
			}
			fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", level, property(r.file()), r.line(c), property("idemcheck "+c.Name), data(text))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
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
