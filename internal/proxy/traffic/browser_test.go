package traffic

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/idemcheck/idemcheck/internal/browsertest"
)

// On a phone and at a desk, light and dark, the page fits, says nothing to the
// console and loads nothing. With IDEMCHECK_SCREENSHOTS=DIR it leaves its pictures there.
func TestPageInBrowser(t *testing.T) {
	ctx, console := browsertest.Start(t)
	for name, r := range map[string]Report{"shop": shop(t), "crowd": crowd(), "empty": empty()} {
		file := filepath.Join(t.TempDir(), HTMLFile)
		if err := os.WriteFile(file, []byte(html(t, r, false)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				browsertest.Visit(t, ctx, "file://"+filepath.ToSlash(file), width, scheme)
				wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
				if err != nil || wide > width {
					t.Errorf("%s at %d, %s: %d wide, %v", name, width, scheme, wide, err)
				}
				browsertest.Picture(t, ctx, fmt.Sprintf("proxy-%s-%d-%s.png", name, width, scheme))
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
	ctx, console := browsertest.Start(t)
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
	browsertest.Visit(t, ctx, server.URL+"/", 1280, "light")
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
