package look

import "strings"

// Wrap lays text out in lines of at most 100 columns: the first begins with
// lead, the others with hang. Line breaks in the text stay; what follows three
// spaces is there to be copied, and stays in one piece.
func Wrap(lead, hang, text string) []string {
	var lines []string
	for _, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, fill(lead, hang, Clean(paragraph))...)
		lead = hang
	}
	return lines
}

// fill wraps one paragraph.
func fill(lead, hang, text string) []string {
	if Width(lead)+Width(text) <= Columns {
		return []string{lead + text}
	}
	before, copied, _ := strings.Cut(text, "   ")
	var lines []string
	line, empty := lead, true
	for _, word := range strings.Split(before, " ") {
		switch {
		case empty:
			line += word
		case Width(line)+1+Width(word) > Columns:
			lines = append(lines, line)
			line = hang + word
		default:
			line += " " + word
		}
		empty = false
		for Width(line) > Columns { // a word longer than a line
			head, tail := Cut(line, Columns)
			lines = append(lines, head)
			line = hang + tail
		}
	}
	lines = append(lines, line)
	if copied != "" {
		lines = append(lines, hang+copied)
	}
	return lines
}
