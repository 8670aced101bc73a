package config

import (
	"regexp"

	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
)

// Worker is one entry of workers:.
type Worker struct {
	Name   string
	Args   []template.Text // the program and its arguments
	Dir    string          // "": where idemcheck runs
	Env    []Variable
	Ready  worker.Ready
	Log    string // "": beside the files of the run
	Points bool   // its points of code meet the tool
}

// Variable is one of a worker's environment.
type Variable struct {
	Name  string
	Value template.Text
}

var workerFields = []string{"run", "dir", "ready", "log", "env", "points"}

// workers are those of the file, in its order.
func (r *reader) workers(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, f := range v.Fields() {
		if named(f.Key, f.Name) {
			r.file.Workers = append(r.file.Workers, r.worker(f.Key, f.Value))
		}
	}
}

func (r *reader) worker(key, v strict.Value) Worker {
	v.Fields(workerFields...)
	w := Worker{Name: key.Text(), Points: true}
	for _, part := range program(v.Need("run"), "[./payments, --port, \"8080\"]") {
		if t, ok := r.textOf(part.at, part.text); ok {
			legalNames(part.at, t, r.wired(), "")
			w.Args = append(w.Args, t)
		}
	}
	if d := v.Field("dir"); d.Exists() {
		w.Dir = r.plain(d, false)
	}
	if l := v.Field("log"); l.Exists() {
		w.Log = r.plain(l, false)
	}
	if p := v.Field("points"); p.Exists() {
		w.Points = p.Bool()
	}
	w.Env = r.variables(v.Field("env"), w.Points)
	w.Ready = r.ready(key, v.Field("ready"))
	return w
}

// wired are the names that have a value in what a worker is started with.
func (r *reader) wired() []string {
	all := []string{"run"}
	for _, l := range r.file.Links {
		all = append(all, "link."+l.Name)
	}
	for _, name := range r.standIns() {
		all = append(all, "provider."+name)
	}
	return all
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pointsVariable tells a worker where its points of code meet the tool.
const pointsVariable = "IDEMCHECK_POINTS"

// variables are what is added to a worker's environment.
func (r *reader) variables(v strict.Value, points bool) (all []Variable) {
	if !v.Exists() {
		return nil
	}
	for _, f := range v.Fields() {
		switch {
		case !variableName.MatchString(f.Name):
			f.Key.Errorf("%q can not be the name of a variable", f.Name)
			continue
		case f.Name == pointsVariable && points:
			f.Key.Errorf("%s is set by idemcheck, which meets the points of the code: to set it yourself, say  points: false", f.Name)
			continue
		}
		if t, ok := r.text(f.Value); ok {
			legalNames(f.Value, t, r.wired(), "")
			all = append(all, Variable{f.Name, t})
		}
	}
	return all
}

// names are those of the templates that a worker is started with.
func (w Worker) names() (all []string) {
	for _, a := range w.Args {
		all = append(all, a.Names()...)
	}
	for _, e := range w.Env {
		all = append(all, e.Value.Names()...)
	}
	return all
}
