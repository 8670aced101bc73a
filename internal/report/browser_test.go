package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/idemcheck/idemcheck/internal/browsertest"
)

// On a phone, a tablet and a desk, light and dark, the page fits, says nothing to the
// console and loads nothing. With IDEMCHECK_SCREENSHOTS=DIR it leaves its pictures there.
func TestPageInBrowser(t *testing.T) {
	ctx, console := browsertest.Start(t)
	for name, r := range map[string]Run{"ten": ten(), "crowded": crowded(), "hostile": stories()["hostile"], "passed": stories()["passed"],
		"map-broken": mapped()["map-broken"], "map-long": mapped()["map-long"], "map-forty": mapped()["map-forty"], "map-mixed": mapped()["map-mixed"]} {
		file := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(file, []byte(print(t, HTML, r)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{360, 768, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				browsertest.Visit(t, ctx, "file://"+filepath.ToSlash(file), width, scheme)
				wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
				if err != nil || wide > width {
					t.Errorf("%s at %d, %s: %d wide, %v", name, width, scheme, wide, err)
				}
				browsertest.Picture(t, ctx, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
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
	ctx, _ := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(print(t, HTML, ten())), 0o644); err != nil {
		t.Fatal(err)
	}
	browsertest.Visit(t, ctx, "file://"+filepath.ToSlash(file), 1440, "light")
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
