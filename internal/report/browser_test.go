package report

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
	"github.com/chromedp/chromedp/kb"
)

// browser starts Chromium for one test, and returns what its console was told.
// IDEMCHECK_TEST_CHROMIUM names the program; else chromium is looked for.
func browser(t *testing.T) (ctx context.Context, console func() []string) {
	t.Helper()
	program := os.Getenv("IDEMCHECK_TEST_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); program == "" && err == nil {
			program = found
		}
	}
	if program == "" {
		if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
			t.Fatal("there is no chromium: install it, or name it with IDEMCHECK_TEST_CHROMIUM")
		}
		t.Skip("there is no chromium: install it, or name it with IDEMCHECK_TEST_CHROMIUM, to look at the page in a browser")
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
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

// On a phone, a tablet and a desk, light and dark, the page fits, says nothing to the
// console and loads nothing. With IDEMCHECK_SCREENSHOTS=DIR it leaves its pictures there.
func TestPageInBrowser(t *testing.T) {
	ctx, console := browser(t)
	for name, r := range map[string]Run{"ten": ten(), "crowded": crowded(), "hostile": stories()["hostile"], "passed": stories()["passed"],
		"map-broken": mapped()["map-broken"], "map-long": mapped()["map-long"], "map-forty": mapped()["map-forty"], "map-mixed": mapped()["map-mixed"]} {
		file := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(file, []byte(print(t, HTML, r)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{360, 768, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				look(t, ctx, file, width, scheme)
				wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
				if err != nil || wide > width {
					t.Errorf("%s at %d, %s: %d wide, %v", name, width, scheme, wide, err)
				}
				picture(t, ctx, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
			}
		}
		paper(t, ctx, name+".pdf")
	}
	for _, s := range console() {
		t.Error(s)
	}
}

// The links of the matrix and all that scrolls can be reached with the keyboard.
func TestPageByKeyboard(t *testing.T) {
	ctx, _ := browser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(print(t, HTML, ten())), 0o644); err != nil {
		t.Fatal(err)
	}
	look(t, ctx, file, 1440, "light")
	seen := map[string]bool{}
	for range 25 {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
			t.Fatal(err)
		}
		at, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(e => e.matches(".matrix a") ? "cell" : e.matches("#matrix .scroll") ? "matrix" : e.matches(".skip") ? "skip" : "")(document.activeElement)`))
		if err != nil {
			t.Fatal(err)
		}
		seen[at] = true
	}
	for _, want := range []string{"skip", "matrix", "cell"} {
		if !seen[want] {
			t.Errorf("25 times Tab did not reach: %s", want)
		}
	}
}

func look(t *testing.T, ctx context.Context, file string, width int64, scheme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+filepath.ToSlash(file))); err != nil {
		t.Fatal(err)
	}
}

func picture(t *testing.T, ctx context.Context, name string) {
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

func paper(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	b, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if dir := os.Getenv("IDEMCHECK_SCREENSHOTS"); err == nil && dir != "" {
		err = os.WriteFile(filepath.Join(dir, name), b, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
