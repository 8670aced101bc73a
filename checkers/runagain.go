package checkers

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// runAgain is the line that runs a failed test again with the same schedule. A
// test that draws its own cases says itself how they are drawn again.
func runAgain(t TB, h history.History) string {
	if _, plain := t.(artefacts); !plain || !hooked(&h.Header) {
		return ""
	}
	return fmt.Sprintf("run again: IDEMCHECK_SEED=%d go test %s\n", h.Header.Seed, testArgs(t.Name(), testPackage()))
}

// testArgs selects one test, or a part of one, of a package.
func testArgs(name, pkg string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	pattern := shellQuote(strings.Join(parts, "/"))
	args := "-run " + pattern
	if strings.HasPrefix(name, "Benchmark") {
		args = "-run '^$' -bench " + pattern
	}
	return strings.TrimSpace(args + " " + pkg)
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// testPackage is the import path of the package under test: that of the
// outermost function in a test file. It can be pasted anywhere in its module.
func testPackage() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	pkg := ""
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.File, "_test.go") {
			pkg = packageOf(f.Function)
		}
		if !more {
			return pkg
		}
	}
}

// packageOf is the import path in the name of a function. Tests in a package of
// their own (shop_test) belong to the one that they test.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	pkg := strings.TrimSuffix(function[:slash]+strings.ReplaceAll(name, "%2e", "."), "_test")
	if pkg == "command-line-arguments" || pkg == "main" {
		return "" // the folder that one stands in
	}
	return pkg
}
