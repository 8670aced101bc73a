package inject

import (
	"slices"
	"testing"
)

func TestArgumentsOfProcesses(t *testing.T) {
	own := []string{"inject.test", "-test.v=true", "-test.coverprofile=x", "-test.run", "TestA", "-test.v", "--test.timeout=10m", "-update", "-url=x", "rest"}
	got := again("TestA/b_(c)#01", own)[1:]
	want := []string{`-test.run=^TestA$/^b_\(c\)#01$`, "-test.count=1", "-update", "-url=x", "rest"}
	if testing.Short() {
		want = slices.Insert(want, 2, "-test.short")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
