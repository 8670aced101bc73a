package inject_test

import "fmt"

// exampleT stands for the *testing.T of a test.
type exampleT struct {
	name    string
	cleanup []func()
}

func (t *exampleT) Helper()                      {}
func (t *exampleT) Name() string                 { return t.name }
func (t *exampleT) Cleanup(f func())             { t.cleanup = append(t.cleanup, f) }
func (t *exampleT) Logf(f string, args ...any)   { fmt.Printf(f+"\n", args...) }
func (t *exampleT) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (t *exampleT) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// end is the end of the test.
func (t *exampleT) end() {
	for _, f := range t.cleanup {
		defer f()
	}
	t.cleanup = nil
}
