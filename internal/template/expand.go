package template

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Expand renders the text. A name that is neither ours nor one of v.Values is
// an error that names the legal ones.
func (t Text) Expand(v Vars) (string, error) {
	var b strings.Builder
	for i, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.lit)
			continue
		}
		s, err := p.value(v, i)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

func (p part) value(v Vars, index int) (string, error) {
	switch p.name {
	case "id":
		return v.ID, nil
	case "key":
		return v.Key, nil
	case "scope":
		return v.Scope, nil
	case "run":
		return v.Run, nil
	case "n":
		return strconv.Itoa(v.N), nil
	case "version":
		return strconv.Itoa(max(v.Version, 1)), nil
	case "now":
		return v.Now.UTC().Format(time.RFC3339Nano), nil
	case "int":
		return strconv.FormatInt(p.draw(v, index), 10), nil
	}
	if s, ok := v.Values[p.name]; ok {
		return s, nil
	}
	legal := append(slices.Clone(Ours), slices.Sorted(maps.Keys(v.Values))...)
	return "", fmt.Errorf("template: unknown name ${%s}, known here are %s", p.name, list(legal))
}

// draw is a pure function of the seed, the operation's number and the place, so
// that a run with the same seed sends the same numbers whatever the interleaving.
func (p part) draw(v Vars, index int) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%d/%d/%d/%s", v.Seed, v.N, v.Attempt, index, v.Place)
	x := mix(h.Sum64())
	span := uint64(p.high) - uint64(p.low) + 1 // 0: all of them
	if span != 0 {
		x %= span
	}
	return int64(uint64(p.low) + x)
}

// mix spreads the bits of a hash whose low bits depend too much on the last
// bytes (the finalizer of SplitMix64, Steele and others, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
