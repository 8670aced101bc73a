package draft

import (
	"cmp"
	"fmt"
	"strings"
)

// rest writes what follows the operations: blocks to fill in, with comments.
func (f *File) rest(p *page) {
	p.WriteByte('\n')
	if f.Contract != "" {
		p.line(0, "contract: %s   # what the service promises; idemcheck list %s shows it", f.Contract, f.Contract)
	} else {
		p.note(0, "What the service promises. Without it only harm fails: effects too many or too few, another's answer.\n"+
			"contract: {like: ietf, claim: 30s, mismatch: 422, in_flight: [409, wait], replay: verbatim}")
	}
	p.WriteByte('\n')
	p.line(0, "effects: none   # only answers are judged. To count effects, write instead:")
	for _, line := range f.Effects() {
		p.note(0, line)
	}
	p.WriteByte('\n')
	p.note(0, "Two tenants, to see whether one meets the other's keys:\nscopes: {alice: {headers: {Authorization: \"Bearer ${ALICE}\"}}, bob: {headers: {Authorization: \"Bearer ${BOB}\"}}}")
}

// Effects are the lines that count the effects of the first operation.
func (f *File) Effects() []string {
	name, by, sees, thing := "operation", "id", "id", "operation"
	tested := f.tested()
	for _, o := range tested {
		name, thing = o.Name, cmp.Or(thingOf(o.Path), o.Name)
		if o.ID == "" {
			by, sees = "key", "key"
		}
		break
	}
	of := ""
	if len(tested) > 1 {
		of = fmt.Sprintf("of: [%s], ", name)
	}
	column := map[string]string{"id": "order_id", "key": "idempotency_key"}[by]
	table := singular(strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(thing))) + "s"
	return []string{
		"effects:",
		fmt.Sprintf("  %s-row: {%ssql: \"${DATABASE_URL}\", query: \"select %s as %s, count(*) as n from %s where %s in (:%ss) group by 1\"}",
			name, of, column, sees, table, column, sees),
		fmt.Sprintf("  # or: %s-api: {%shttp: \"GET /%s?%s=${%s}\", count: /data}", name, of, table, column, sees),
	}
}

// tested are the operations under test.
func (f *File) tested() (list []Operation) {
	for _, o := range f.Operations {
		if o.Test != "false" && o.Off == "" {
			list = append(list, o)
		}
	}
	return list
}
