package schema

import (
	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// Plan is the schema of a plan file.
func Plan() []byte {
	var rules []string
	for _, r := range checkers.Catalogue {
		rules = append(rules, r.Name)
	}
	n := object(fields{
		"name": text.doc("the case is NAME/OPERATION"), "title": text, "story": text,
		"operation": text.doc("the only operation that it is for"),
		"needs":     list(text), "sweep": free(anyOf(list(text), words("each"))).doc("values by name: a case for each; a scalar $NAME in the steps is replaced"),
		"steps": list(step()), "rules": list(words(rules...)).doc("the rules that judge it; all if left out"),
	}, "name", "steps")
	n.Schema, n.Title = draft, "a plan of idemcheck"
	return n.print()
}

// delivered are the fields of deliveries that say what is sent, and where.
func delivered(more fields) *node {
	alike := anyOf(text, object(fields{"of": text, "alike": text}))
	f := fields{
		"fault": fault(), "value": text.doc("zero, one, largest, empty-text, empty-list or long-text"),
		"operation": text.doc("other or other-method"), "key": alike.doc("a's key, or one that looks like it"), "id": alike,
		"entry": text, "replica": text,
	}
	for name, n := range more {
		f[name] = n
	}
	return object(f)
}

func step() *node {
	role := text.doc("a role: a, a@2, a/changed, a#2")
	worker, link := text.doc("worker, or worker/NAME"), text.doc("link, or link/NAME")
	sends := list(delivered(fields{"send": role}))
	return delivered(fields{
		"send": role, "body": text.doc("the role whose body is sent instead"),
		"retry": role, "start": role, "join": words("all"), "settle": text.doc("a role, or all"), "reconcile": role,
		"together": sends.doc("copies that overlap"), "offset": list(text).doc("rounds; when the others follow the first"),
		"unit": text.doc("of the offsets: handler or claim"), "shuffle": sends.doc("in every order"),
		"arm": text.doc("provider, link or worker, or one by name, as in provider/NAME"), "op": role, "call": text,
		"moment": text.doc("of a link or worker: effect, mark, write, commit, call, or the name of one"), "nth": text,
		"kill": worker, "restart": worker, "pause": worker, "resume": worker, "down": link, "read-only": link, "up": link,
		"wait": text, "age": role, "by": text, "fill": text.doc("so many other operations"),
	})
}

// fault is a name, or a mapping from one to its argument.
func fault() *node {
	f := fields{}
	for _, one := range inject.Faults {
		f[one.Fault.Name] = text.doc(one.Doc)
	}
	return anyOf(text, object(f))
}
