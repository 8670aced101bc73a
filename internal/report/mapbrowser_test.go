package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/idemcheck/idemcheck/internal/browsertest"
)

// Each cell of a map leads to what happened in it, with the keyboard too: the
// timeline that it leads to is seen, and nothing is told to the console.
func TestMapCellsLeadToTimelines(t *testing.T) {
	ctx, console := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(print(t, HTML, mapped()["map-broken"])), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{360, 1440} {
		browsertest.Visit(t, ctx, "file://"+filepath.ToSlash(file), width, "light")
		n, err := chromedp.Run(ctx, chromedp.Evaluate[int](`document.querySelectorAll(".map tbody a").length`))
		if err != nil || n != 20 {
			t.Fatalf("%d links in the map, %v; want 20", n, err)
		}
		for i := range n {
			focus := fmt.Sprintf(`document.querySelectorAll(".map tbody a")[%d].focus()`, i)
			if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](focus), chromedp.KeyEvent(kb.Enter)); err != nil {
				t.Fatal(err)
			}
			_, err := chromedp.Run(ctx, chromedp.Poll[bool](`(at => {
				const svg = at && at.querySelector("svg.draw");
				return svg && svg.getBoundingClientRect().height > 0;
			})(document.getElementById(location.hash.slice(1)))`))
			if err != nil {
				t.Fatalf("%d wide, cell %d leads to no timeline: %v", width, i, err)
			}
		}
		browsertest.Picture(t, ctx, fmt.Sprintf("map-opened-%d.png", width))
	}
	for _, s := range console() {
		t.Error(s)
	}
}

// Maps of ten operations with 2,000 windows make a page that a browser can hold.
func TestMapPageIsBounded(t *testing.T) {
	a := newAtlas()
	for n := range 10 {
		a.operation = fmt.Sprintf("operation-%d", n)
		var rows []string
		for i := range 40 {
			rows = append(rows, fmt.Sprintf("db INSERT step_%d | pass TWICE pass LOST pass", i))
		}
		a.chart("api", nil, rows...)
	}
	var size counter
	if err := HTML(&size, a.done()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB", size>>10)
	if size > 5<<20 {
		t.Errorf("%d bytes", size)
	}
}
