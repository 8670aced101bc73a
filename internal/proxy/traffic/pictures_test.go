package traffic

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/idemcheck/idemcheck/internal/browsertest"
)

// TestPictures makes those of the documents: IDEMCHECK_PICTURES=docs/img, from here
// ../../../docs/img. They show the live page of a payments service with one defect.
func TestPictures(t *testing.T) {
	dir := os.Getenv("IDEMCHECK_PICTURES")
	if dir == "" {
		t.Skip("set IDEMCHECK_PICTURES to a directory to make the pictures of the documents")
	}
	ctx, _ := browsertest.Start(t)
	r := shop(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := r.HTML(w, true); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	for name, size := range map[string][2]int64{"desk": {1280, 1480}, "phone": {390, 1400}} {
		for _, scheme := range []string{"light", "dark"} {
			browsertest.Visit(t, ctx, server.URL+"/", size[0], scheme)
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(size[0], size[1])); err != nil {
				t.Fatal(err)
			}
			b, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "proxy-"+scheme+"-"+name+".png"), b, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
