package report

import (
	"fmt"

	"github.com/idemcheck/idemcheck/checkers"
)

// shownDifferences is how many differences of two answers the text shows.
const shownDifferences = 8

// differences prints where two answers do not agree, a line for each.
func (p *page) differences(ds []checkers.Difference) {
	longest := 0
	for _, d := range ds[:min(shownDifferences, len(ds))] {
		longest = max(longest, width(clean(d.Where)))
	}
	for i, d := range ds {
		if i == shownDifferences {
			p.print("", "", fmt.Sprintf("      and %d more", len(ds)-i))
			return
		}
		where := clean(d.Where)
		p.print("", "", fit("      "+pad(where, min(longest, columns/2))+"  "+clean(change(d)), columns))
	}
}

// change says how a place changed.
func change(d checkers.Difference) string {
	if d.First == d.Again {
		return d.First + "  in both"
	}
	return orAbsent(d.First) + " -> " + orAbsent(d.Again)
}

func orAbsent(v string) string {
	if v == "" {
		return "(absent)"
	}
	return v
}
