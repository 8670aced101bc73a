package traffic

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/idemcheck/idemcheck/internal/look"
)

// HTMLFile is the name of the page in the directory of a run.
const HTMLFile = "proxy.html"

var (
	//go:embed page/page.tmpl
	pageText string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

var pageTemplate = template.Must(template.New("page").Parse(pageText))

const (
	pageRows   = 300 // routes in the table
	pageRoutes = 60  // whose findings are shown
	pageQuiet  = 200 // routes without repeats
)

// view is what the page shows.
type view struct {
	Style  template.CSS
	Script template.JS
	Policy string // nothing is loaded but the page itself, and only this script runs
	Live   bool

	Title, Class, Sign, Word, Heading, Sentence string
	Tiles                                       []tile
	Facts                                       []fact
	Warnings, Rules, Callers                    []string
	Rows, Quiet, Uncounted                      []rowView
	QuietN, Elsewhere, Empty, Try, More, Footer string
	Findings                                    []routeView
	Habits                                      []Habit
}

type tile struct{ Class, Mark, Word, N, Link string }

type fact struct{ Name, Value string }

type rowView struct {
	Method, Path, Operation, Class, Sign, Verdict, Link string
	Repeats, Alike, Differ, Requests, Keyed             string
}

type routeView struct {
	rowView
	ID, Numbers string
	Findings    []findingView
	Counted     []Counted
	Masks       []string
}

type findingView struct {
	Words, Cure string
	Serious     bool
	Example     *exampleView
}

type exampleView struct {
	ID, Fault, Request, Curl string
	Open                     bool
	Facts                    []fact
	Differences              []Difference
	Answers                  []answerView
}

type answerView struct{ Heading, Status, Body string }

// HTML writes the report as one page that needs nothing else. live makes it renew
// itself from the address that it came from. Text of the traffic can do nothing in it.
func (r Report) HTML(w io.Writer, live bool) error {
	code := look.Copy + pageScript
	sum := sha256.Sum256([]byte(code))
	v := view{
		Style: template.CSS(look.Style + pageStyle), Script: template.JS(code), Live: live,
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}
	if live {
		v.Policy += "; connect-src 'self'"
	}
	r.top(&v)
	r.rows(&v)
	r.found(&v)
	r.people(&v)
	return pageTemplate.Execute(w, v)
}

// signs stand beside the words of verdicts, for the eye.
var signs = map[Verdict]string{Certain: "✕", Likely: "!", Unknown: "?", Held: "✓", NotTried: "–"}

// class is the name of a verdict in the style sheet.
func (v Verdict) class() string {
	if v == NotTried || v == "" {
		return "none"
	}
	return string(v)
}

func row(r Route) rowView {
	keyed := "–"
	if r.Requests > 0 && !safe(r.Method) {
		keyed = fmt.Sprintf("%d %%", 100*r.Keyed/r.Requests)
	}
	return rowView{Method: look.Clean(r.Method), Path: look.Clean(r.Path), Operation: look.Clean(r.Operation), Class: r.Verdict.class(), Sign: signs[r.Verdict], Verdict: string(r.Verdict),
		Repeats: number3(r.Tried), Alike: number3(r.Same + r.Conflict), Differ: number3(r.Differ + r.Refused + r.Failed), Requests: number3(r.Requests), Keyed: keyed}
}

// uncounted reports whether all that is to be said of a route is that nobody
// counted its effects.
func (r Route) uncounted() bool { return len(r.Findings) == 1 && r.Findings[0].Kind == "uncounted" }

// rows fills the table of routes.
func (r Report) rows(v *view) {
	quiet := 0
	for _, route := range r.Routes {
		if route.Name == "others" {
			v.Elsewhere = plural(route.Requests, "request") + " went elsewhere: to what is not there, or beyond the number of routes that are kept."
			continue
		}
		if route.Verdict == NotTried {
			if quiet++; quiet <= pageQuiet {
				q := row(route)
				q.Requests = plural(route.Requests, "request")
				v.Quiet = append(v.Quiet, q)
			}
			continue
		}
		one := row(route)
		switch {
		case route.uncounted():
			one.Link = "#uncounted"
		case len(route.Findings)+len(route.Counted) > 0 && len(v.Rows) < pageRoutes:
			one.Link = fmt.Sprintf("#route-%d", len(v.Rows)+1)
		}
		if len(v.Rows) < pageRows {
			v.Rows = append(v.Rows, one)
		}
	}
	v.QuietN = plural(int64(quiet), "route")
	v.Empty = r.empty()
	if r.Requests == 0 && r.Listen != "" {
		v.Try = "curl -i " + strings.TrimSuffix(r.Listen, "/") + "/"
	}
}

// found fills what was found of each route.
func (r Report) found(v *view) {
	n, more := 0, 0
	for _, route := range r.Routes {
		if route.Verdict == NotTried || route.Name == "others" {
			continue
		}
		n++
		switch {
		case len(route.Findings)+len(route.Counted) == 0:
		case route.uncounted():
			v.Uncounted = append(v.Uncounted, row(route))
		case n > pageRoutes:
			more++
		default:
			v.Findings = append(v.Findings, newRouteView(route, n))
		}
	}
	if more > 0 {
		v.More = plural(int64(more), "route") + " more with findings: traffic.json has them."
	}
}

func newRouteView(r Route, n int) routeView {
	v := routeView{rowView: row(r), ID: fmt.Sprintf("route-%d", n), Counted: r.Counted, Numbers: r.inNumbers()}
	for _, m := range r.Masks[:min(len(r.Masks), 20)] {
		v.Masks = append(v.Masks, look.Clean(m))
	}
	for i, f := range r.Findings {
		serious := f.Verdict == Certain || f.Verdict == Likely
		w := findingView{Words: look.Clean(f.Words), Cure: f.Cure, Serious: serious}
		if f.Example != nil && (serious || i == 0) {
			w.Example = newExample(*f.Example, fmt.Sprintf("example-%d-%d", n, i+1), serious && i == 0)
		}
		if i > 0 && f.Cure == r.Findings[0].Cure {
			w.Cure = ""
		}
		v.Findings = append(v.Findings, w)
	}
	return v
}

// inNumbers is what the repeats of a route came to.
func (r Route) inNumbers() string {
	parts := []string{plural(r.Requests, "request"), plural(r.Tried, "repeat") + " of what was accepted"}
	for _, p := range []struct {
		n    int64
		word string
	}{{r.Same, "answered alike"}, {r.Marked, "marked as replays"}, {r.Conflict, "told of a conflict"}, {r.Differ, "answered otherwise"}, {r.Refused, "refused"}, {r.Failed, "failed"}, {r.Limited, "turned away under load"}} {
		if p.n > 0 {
			parts = append(parts, number3(p.n)+" "+p.word)
		}
	}
	return strings.Join(parts, " · ")
}

func newExample(e Example, id string, open bool) *exampleView {
	v := &exampleView{ID: id, Fault: look.Clean(e.Fault), Request: look.Clean(e.Request), Curl: lines(e.Curl), Open: open}
	for _, f := range []fact{{"At", e.At.Format("2006-01-02 15:04:05 UTC")}, {"Key", look.Clean(e.Key)}, {"Operation", look.Clean(e.Op)}, {"Body", look.Clean(cut(e.Body, 400))}} {
		if f.Value != "" {
			v.Facts = append(v.Facts, f)
		}
	}
	for _, d := range e.Differences {
		v.Differences = append(v.Differences, Difference{look.Clean(d.Where), look.Clean(d.First), look.Clean(d.Second)})
	}
	v.Answers = []answerView{{"First answer", look.Clean(e.First.Status), laidOut(e.First.Body)}, {"Answer to the repeat", look.Clean(e.Second.Status), laidOut(e.Second.Body)}}
	return v
}

// laidOut is a body with its JSON laid out.
func laidOut(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return lines(body)
	}
	return lines(b.String())
}

// lines cleans a text and keeps its lines.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = look.Clean(strings.TrimRight(line, "\r"))
	}
	return strings.Join(all, "\n")
}
