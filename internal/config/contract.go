package config

import (
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// contract is a preset's name, or a mapping of what is promised, perhaps on top
// of a preset (like:). What the user states is judged.
func (r *reader) contract(v strict.Value) contract.Contract {
	switch v.Kind() {
	case strict.None:
		return preset(v, "none")
	case strict.Map:
		return stated(v)
	}
	return preset(v, v.Text())
}

func preset(v strict.Value, name string) contract.Contract {
	c, ok := contract.Lookup(name)
	if !ok && name != "" {
		v.Errorf("unknown contract %q%s; idemcheck list contracts shows the %d known, or state it: {like: ietf, life: 24h, mismatch: 422}",
			name, strict.DidYouMean(name, presets()), len(presets()))
	}
	return c
}

func presets() []string {
	var names []string
	for _, c := range contract.Catalogue {
		names = append(names, c.Name)
	}
	return names
}

func stated(v strict.Value) contract.Contract {
	legal := []string{"like", "name", "life", "claim"}
	for _, a := range contract.Axes {
		legal = append(legal, a.Name)
	}
	c := contract.Contract{Name: "stated"}
	if like := v.Field("like"); like.Exists() {
		c = preset(like, like.Text())
	}
	fields := v.Fields(legal...)
	switch {
	case len(fields) == 1:
	case c.Name == "none":
		c.Name = "stated"
	case c.Name != "stated":
		c.Name += ", changed"
	}
	for _, f := range fields {
		switch f.Name {
		case "like":
		case "name":
			c.Name = f.Value.Text()
		default:
			if err := c.Set(f.Name, words(f.Value)...); err != nil {
				f.Value.Errorf("%s", strings.TrimPrefix(err.Error(), "contract."+f.Name+": "))
			}
		}
	}
	return c
}

// words is a list of texts, or one text.
func words(v strict.Value) []string {
	if v.Kind() != strict.List {
		return []string{v.Text()}
	}
	var list []string
	for _, item := range v.List() {
		list = append(list, item.Text())
	}
	return list
}
