// Package browsertest looks at pages in Chromium, as a person would. For tests only.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Program is where Chromium is: IDEMCHECK_TEST_CHROMIUM names it; else it is looked
// for. Without one the test is skipped, or fails with IDEMCHECK_REQUIRE=all.
func Program(t *testing.T) string {
	t.Helper()
	if program := os.Getenv("IDEMCHECK_TEST_CHROMIUM"); program != "" {
		return program
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	const why = "there is no chromium: install it, or name it with IDEMCHECK_TEST_CHROMIUM"
	if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
		t.Fatal(why)
	}
	t.Skip(why + ", to look at the page in a browser")
	return ""
}

// Start starts Chromium for one test, and returns what its console was told.
func Start(t *testing.T) (ctx context.Context, console func() []string) {
	t.Helper()
	program := Program(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(stop)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	for _, flag := range []string{"disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stopAllocator)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said []string
	note := func(s string) { mu.Lock(); defer mu.Unlock(); said = append(said, s) }
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			note(fmt.Sprint("console: ", e.Type))
		case *runtime.EventExceptionThrown:
			note("exception: " + e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			note("log: " + e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, func() []string { mu.Lock(); defer mu.Unlock(); return said }
}

// Visit loads a page in a window of that width, light or dark.
func Visit(t *testing.T, ctx context.Context, url string, width int64, scheme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
}

// Picture leaves a picture of the page, whole and of what is seen at first, in the
// folder IDEMCHECK_SCREENSHOTS, if that is said.
func Picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("IDEMCHECK_SCREENSHOTS")
	if dir == "" {
		return
	}
	for prefix, shot := range map[string]chromedp.Action[[]byte]{"": chromedp.FullScreenshot(100), "top-": chromedp.CaptureScreenshot()} {
		b, err := chromedp.Run(ctx, shot)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, prefix+name), b, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
