// Package draft writes the first idemcheck.yaml of a service, from a curl line
// or an OpenAPI document. It guesses what a person would write who reads the
// same text: where the key travels, what in a body is the business id, what
// must exist first. Each guess stands in the file with a comment beside it.
//
// No secret reaches the file: headers that carry one, and fields of bodies that
// are named like one, become variables of the environment.
package draft

// File is an idemcheck.yaml in the making; YAML writes it.
type File struct {
	Target     string // "http://127.0.0.1:8080"
	Allow      string // the target's host, if it is not on loopback and may be touched
	Contract   string // the name of a preset, "" for none
	Head       []string
	Operations []Operation
	Secrets    []Secret // in the order in which they were met
	Notes      []string // for the person: what was left out, and why
	Scopes     bool     // the text shows that callers say who they are
}

// Secret is a variable of the environment that the file uses.
type Secret struct {
	Name, Value string // Value: "" if the text did not hold it
	For         string // "header Authorization"
}

// Operation is one entry of operations:.
type Operation struct {
	Name, Method, Path string
	Key                string // "header NAME" and so on; "" leaves it to the configuration's default
	KeyNote            string
	Headers            []Header
	Body               *Value // nil: none
	Form               string // a body that is no JSON, in the syntax of templates
	Before             []string
	Take               []Take
	Test               string // "true", "false", "" if the configuration decides
	Off                string // why it is commented out; "": it is not
	Notes              []string
	ID                 string // where the business id stands, for people: "body /order"; "" if nowhere
}

// Header is one header; its value is in the syntax of templates.
type Header struct{ Name, Value string }

// Take is one entry of take:.
type Take struct{ Name, Pointer string }

// secret notes a variable and is its name; one of the same name and another value gets a number.
func (f *File) secret(name, value, use string) string {
	free := name
	for n := 2; ; n++ {
		taken := false
		for _, s := range f.Secrets {
			if s.Name == free {
				if s.Value == value {
					return free
				}
				taken = true
			}
		}
		if !taken {
			f.Secrets = append(f.Secrets, Secret{free, value, use})
			return free
		}
		free = name + "_" + string(rune('0'+min(n, 9)))
	}
}

// Lookup is an environment in which the secrets of the text are set; others come from next.
func (f *File) Lookup(next func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, s := range f.Secrets {
			if s.Name == name && s.Value != "" {
				return s.Value, true
			}
		}
		return next(name)
	}
}
