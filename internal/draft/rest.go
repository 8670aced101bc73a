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
	p.note(0, wiring)
	p.WriteByte('\n')
	p.note(0, "Two tenants, to see whether one meets the other's keys:\nscopes: {alice: {headers: {Authorization: \"Bearer ${ALICE}\"}}, bob: {headers: {Authorization: \"Bearer ${BOB}\"}}}")
}

// wiring is what faults between an effect and its commit need, to fill in.
const wiring = `For kills between an effect and its commit ( idemcheck map ), let idemcheck start the service and stand before its database:
links: {db: {protocol: postgres, to: "127.0.0.1:5432"}}
workers: {api: {run: ./service --port 8080, env: {DATABASE_URL: "postgres://app@${link.db}/shop"}}}`

// Effects are the lines that count the effects of the operations under test:
// rows of a table, and the same over HTTP.
func (f *File) Effects() []string {
	rows, answers := []string{"effects:"}, []string{"  # or over HTTP:"}
	tested := f.tested()
	for _, o := range tested {
		of, sees, column := "", "id", "order_id"
		if len(tested) > 1 {
			of = fmt.Sprintf("of: [%s], ", o.Name)
		}
		if o.ID == "" {
			sees, column = "key", "idempotency_key"
		}
		table := singular(strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(cmp.Or(thingOf(o.Path), o.Name)))) + "s"
		rows = append(rows, fmt.Sprintf("  %s-row: {%ssql: \"${DATABASE_URL}\", query: \"select %s as %s, count(*) as n from %s where %s in (:%ss) group by 1\"}",
			o.Name, of, column, sees, table, column, sees))
		answers = append(answers, fmt.Sprintf("  # %s-api: {%shttp: \"GET /%s?%s=${%s}\", count: /data}", o.Name, of, table, column, sees))
	}
	return append(rows, answers...)
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
