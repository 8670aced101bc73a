package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// toxic is a kind of fault on bytes: its fields, each with what one of its
// whole numbers counts.
type toxic struct {
	name   string
	fields []toxicField
}

type toxicField struct {
	name  string
	unit  time.Duration // 0: the field is a whole number
	need  bool
	least int64 // what it must be at least, if it is a whole number
}

// toxicKinds are those of toxiproxy.
var toxicKinds = []toxic{
	{"latency", []toxicField{{"latency", time.Millisecond, true, 0}, {"jitter", time.Millisecond, false, 0}}},
	{"bandwidth", []toxicField{{"rate", 0, true, 1}}},
	{"slow_close", []toxicField{{"delay", time.Millisecond, true, 0}}},
	{"timeout", []toxicField{{"timeout", time.Millisecond, true, 0}}},
	{"reset_peer", []toxicField{{"timeout", time.Millisecond, true, 0}}},
	{"slicer", []toxicField{{"average_size", 0, true, 1}, {"size_variation", 0, false, 0}, {"delay", time.Microsecond, false, 0}}},
	{"limit_data", []toxicField{{"bytes", 0, true, 0}}},
}

// toxics are faults on the bytes of a link.
func (r *reader) toxics(v strict.Value) (all []wire.Toxic) {
	if !v.Exists() {
		return nil
	}
	for _, item := range v.List() {
		if t, ok := readToxic(item); ok {
			all = append(all, t)
		}
	}
	return all
}

func readToxic(v strict.Value) (t wire.Toxic, ok bool) {
	var names []string
	for _, k := range toxicKinds {
		names = append(names, k.name)
	}
	at := v.Need("type")
	i := slices.Index(names, at.Text())
	if i < 0 {
		if at.Exists() {
			at.Errorf("unknown toxic %q%s; legal here: %s", at.Text(), strict.DidYouMean(at.Text(), names), strings.Join(names, ", "))
		}
		return t, false
	}
	t = wire.Toxic{Type: names[i], Attributes: map[string]int64{}}
	legal := []string{"type", "upstream"}
	for _, f := range toxicKinds[i].fields {
		legal = append(legal, f.name)
	}
	v.Fields(legal...)
	if u := v.Field("upstream"); u.Exists() {
		t.Upstream = u.Bool()
	}
	for _, f := range toxicKinds[i].fields {
		if at := v.Field(f.name); at.Exists() {
			t.Attributes[f.name] = f.value(at)
		} else if f.need {
			v.Errorf("a toxic %s needs %s", t.Type, f.example())
		}
	}
	if at := v.Field("size_variation"); t.Attributes["size_variation"] > 0 && t.Attributes["size_variation"] >= t.Attributes["average_size"] {
		at.Errorf("must be less than average_size")
	}
	return t, true
}

// value is a field as toxiproxy counts it.
func (f toxicField) value(v strict.Value) int64 {
	if f.unit > 0 {
		return int64(v.Duration() / f.unit)
	}
	n := int64(v.Int())
	if n < f.least {
		v.Errorf("must be at least %d", f.least)
	}
	return n
}

func (f toxicField) example() string {
	if f.unit > 0 {
		return fmt.Sprintf("a duration, as in  %s: 50ms", f.name)
	}
	return fmt.Sprintf("a whole number, as in  %s: 100", f.name)
}
