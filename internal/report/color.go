package report

import (
	"os"
	"runtime"

	"github.com/idemcheck/idemcheck/checkers"
)

// Color says whether text written to f may be coloured: f is a terminal that
// understands colours, and NO_COLOR (no-color.org) is not set.
func Color(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// paint colours a word by a verdict. The word itself says the same.
func (r Run) paint(v checkers.Verdict, word string) string {
	codes := map[checkers.Verdict]string{checkers.Pass: "32", checkers.Fail: "1;31", checkers.Inconclusive: "33"}
	if !r.Color || codes[v] == "" {
		return word
	}
	return "\x1b[" + codes[v] + "m" + word + "\x1b[0m"
}
