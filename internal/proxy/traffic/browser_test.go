package traffic

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// On a phone and at a desk, light and dark, the page fits, says nothing to the
// console and loads nothing. With IDEMCHECK_SCREENSHOTS=DIR it leaves its pictures there.
func TestPageInBrowser(t *testing.T) {
	ctx, console := browser(t)
	for name, r := range map[string]Report{"shop": shop(t), "crowd": crowd(), "empty": empty()} {
		file := filepath.Join(t.TempDir(), HTMLFile)
		if err := os.WriteFile(file, []byte(html(t, r, false)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				visit(t, ctx, "file://"+filepath.ToSlash(file), width, scheme)
				wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
				if err != nil || wide > width {
					t.Errorf("%s at %d, %s: %d wide, %v", name, width, scheme, wide, err)
				}
				picture(t, ctx, fmt.Sprintf("proxy-%s-%d-%s.png", name, width, scheme))
			}
		}
	}
	for _, s := range console() {
		t.Error(s)
	}
}

// The live page shows what is new without being loaded again, and what was opened
// or closed by its reader stays so.
func TestPageRenewsItself(t *testing.T) {
	ctx, console := browser(t)
	var mu sync.Mutex
	r := shop(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if q.URL.Path != "/" {
			http.Error(w, "", http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := r.HTML(w, true); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	visit(t, ctx, server.URL+"/", 1280, "light")
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("example-1-1").open = false; window.kept = 1; window.scrollTo(0, 300)`)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	r.Requests = 123456
	mu.Unlock()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](`document.getElementById("top").textContent.includes("123,456")`))
	if err != nil {
		t.Fatal(err)
	}
	stayed, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`window.kept === 1 && !document.getElementById("example-1-1").open && window.scrollY > 250`))
	if err != nil || !stayed {
		t.Errorf("the page was loaded again, or moved: %v", err)
	}
	for _, s := range console() {
		t.Error(s)
	}
}

func visit(t *testing.T, ctx context.Context, url string, width int64, scheme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url)); err != nil {
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
