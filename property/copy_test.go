package property

import (
	"reflect"
	"testing"
	"time"
)

type node struct {
	Name  string
	Tags  []string
	Next  *node
	Any   any
	Table map[string][]int
	Slice *[]int
	Array [2][]int
	when  time.Time
	inner []int
}

func ring() *node {
	n := &node{Name: "a", Tags: []string{"x"}, Table: map[string][]int{"k": {1}}, Slice: &[]int{1}, Array: [2][]int{{1}, {2}}, inner: []int{1}, when: time.Now()}
	n.Next, n.Any = n, []int{1}
	return n
}

func TestCopyOf(t *testing.T) {
	n := ring()
	c := copyOf(n)
	if !reflect.DeepEqual(n, c) {
		t.Errorf("the copy differs: %+v, %+v", n, c)
	}
	if c.Next != c {
		t.Error("the ring of the copy leads to the original")
	}
	c.Tags[0], c.Table["k"][0], (*c.Slice)[0], c.Array[0][0], c.Any.([]int)[0] = "y", 2, 2, 2, 2
	if want := ring(); n.Tags[0] != "x" || !reflect.DeepEqual(n.Table, want.Table) || (*n.Slice)[0] != 1 || n.Array[0][0] != 1 || n.Any.([]int)[0] != 1 {
		t.Errorf("the original changed with its copy: %+v", n)
	}
}

func TestCopyOfNothing(t *testing.T) {
	if copyOf[*node](nil) != nil || copyOf[[]int](nil) != nil || copyOf[any](nil) != nil || copyOf(7) != 7 {
		t.Error("a copy of nothing is something")
	}
	if c := copyOf[any](map[string]int{"a": 1}); !reflect.DeepEqual(c, map[string]int{"a": 1}) {
		t.Errorf("got %v", c)
	}
}

type cloner struct{ hidden []int }

func (c *cloner) Clone() *cloner { return &cloner{append([]int(nil), c.hidden...)} }

func TestKeeper(t *testing.T) {
	type plain struct {
		A int
		B [2]string
		_ time.Time // not exported
	}
	type open struct{ A []int }
	type hidden struct{ _ []int }
	for _, k := range []struct {
		name          string
		got           keeper[int] // of any type: only its fields are looked at
		refers, hides bool
	}{
		{"plain", keeper[int](keep[plain]()), false, false},
		{"open", keeper[int](keep[open]()), true, false},
		{"hidden", keeper[int](keep[hidden]()), true, true},
		{"behind a pointer", keeper[int](keep[*hidden]()), true, true},
		{"in a map", keeper[int](keep[map[string]hidden]()), true, true},
		{"interface", keeper[int](keep[any]()), true, true},
		{"time", keeper[int](keep[*time.Time]()), true, false},
		{"with a method Clone", keeper[int](keep[*cloner]()), true, false},
		{"ring", keeper[int](keep[*struct{ Next *plain }]()), true, false},
	} {
		if k.got.refers != k.refers || k.got.hides != k.hides {
			t.Errorf("%s: got %+v", k.name, k.got)
		}
	}
	c := &cloner{[]int{1}}
	keep[*cloner]().copy(c).hidden[0] = 2
	if c.hidden[0] != 1 || keep[*cloner]().copy(nil) != nil {
		t.Error("Clone was not used")
	}
}

func TestSealSeesHiddenChanges(t *testing.T) {
	k := keep[*node]()
	n := ring()
	s := k.seal(n)
	if s.sum != k.seal(n).sum || s.sum == 0 {
		t.Error("nothing changed, and it looks different")
	}
	n.inner[0] = 2
	if s.sum == k.seal(n).sum {
		t.Error("a hidden change was not seen")
	}
}
