package traffic

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

func html(t *testing.T, r Report, live bool) string {
	t.Helper()
	return printed(t, func(w io.Writer) error { return r.HTML(w, live) })
}

// The page links to what is there, loads nothing, and holds no text of the traffic
// as markup.
func TestPage(t *testing.T) {
	for name, r := range map[string]Report{"shop": shop(t), "crowd": crowd(), "empty": empty()} {
		for _, live := range []bool{false, true} {
			text := html(t, r, live)
			ids := map[string]int{}
			for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
				if ids[m[1]]++; ids[m[1]] > 1 {
					t.Errorf("%s: id %s is there twice", name, m[1])
				}
			}
			for _, m := range regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(text, -1) {
				if ids[m[1]] == 0 {
					t.Errorf("%s: nothing has the id %s", name, m[1])
				}
			}
			for _, bad := range []string{"\x1b", "\u202e", "ZgotmplZ", "<script>alert", "</script>\"", "src=", "<b>\"", "http-equiv=\"Content-Security-Policy\" content=\"\""} {
				if strings.Contains(text, bad) {
					t.Errorf("%s: the page holds %q", name, bad)
				}
			}
			if strings.Contains(text, "data-live") != (live || strings.Contains(pageScript, "data-live")) || strings.Contains(text, `<body data-live`) != live {
				t.Errorf("%s: live %v", name, live)
			}
		}
	}
}

func TestPageIsBounded(t *testing.T) {
	r := Report{}
	long := strings.Repeat("x", 2000)
	for range 2000 {
		e := &Example{Body: long, First: Shown{Body: long}, Second: Shown{Body: long}, Curl: long}
		r.Routes = append(r.Routes, Route{Name: "POST /x", Verdict: Certain, Findings: []Finding{{Verdict: Certain, Words: "w", Example: e}, {Verdict: Likely, Words: "w", Example: e}}})
	}
	if n := len(html(t, r, true)); n > 3<<20 {
		t.Errorf("%d bytes", n)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	r := shop(t)
	for name, f := range map[string]func(io.Writer) error{
		"Text": func(w io.Writer) error { return r.Text(w, true) }, "JSON": r.JSON, "Metrics": r.Metrics, "HTML": func(w io.Writer) error { return r.HTML(w, true) },
	} {
		if err := f(fullDisk{}); err == nil {
			t.Errorf("%s: no error from a writer that fails", name)
		}
	}
}
