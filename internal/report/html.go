package report

import "io"

// HTMLFile is the name of the page in the directory of a run.
const HTMLFile = "report.html"

// HTML writes a run as one page that needs nothing else.
func HTML(w io.Writer, r Run) error { return nil }
