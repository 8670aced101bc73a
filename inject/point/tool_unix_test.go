//go:build unix

package point

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/inject/wire"
)

// TestToolKills: the tool sees each point before the code behind it runs, and
// can kill the worker exactly there.
func TestToolKills(t *testing.T) {
	points, err := wire.OpenPoints(t.TempDir())
	must(t, err)
	defer points.Close()
	value := strings.TrimPrefix(points.Env(), variable+"=")
	for _, kill := range []string{"", "a", "b", "c"} {
		cmd := program(value, "a b c")
		var stdout strings.Builder
		var once sync.Mutex
		var seen []string
		cmd.Stdout = &stdout
		points.Watch(func(s wire.Step) wire.Action {
			once.Lock()
			defer once.Unlock()
			if seen = append(seen, s.Moment()); s.Name == kill {
				cmd.Process.Kill()
			}
			return wire.Pass
		})
		once.Lock()
		must(t, cmd.Start())
		once.Unlock()
		err := cmd.Wait()
		last := "c"
		if kill != "" {
			last = kill
		}
		if (err == nil) != (kill == "") || !slices.Equal(seen, strings.Split("a b c", " ")[:last[0]-'a'+1]) || strings.Contains(stdout.String(), "after "+last) != (kill == "") {
			t.Errorf("kill at %q: seen %q, %v, printed %q", kill, seen, err, stdout.String())
		}
	}
}
