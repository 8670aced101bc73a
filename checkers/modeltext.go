package checkers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const mostCommands = 20 // rows of a table

// table lists the commands of an object, the witnesses marked: all, or those
// around the witnesses.
func table[C any](cs []command[C], witnesses []int) string {
	from, to := 0, len(cs)
	if len(cs) > mostCommands {
		last := slices.Max(witnesses)
		from = max(0, min(last-mostCommands*3/4, len(cs)-mostCommands))
		to = from + mostCommands
	}
	actors := len("actor")
	for i := from; i < to; i++ {
		actors = max(actors, utf8.RuneCountInString(cs[i].actor))
	}
	var b strings.Builder
	row := func(mark, places, actor, what string) {
		line := fmt.Sprintf("%1s %9s  %-*s  %s", mark, places, actors, actor, what)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("", "events", "actor", "command")
	shown := func(i int) {
		mark := ""
		if slices.Contains(witnesses, i) {
			mark = "!"
		}
		row(mark, between(&cs[i]), cs[i].actor, describe(&cs[i])+tried(&cs[i]))
	}
	for _, w := range slices.Sorted(slices.Values(witnesses)) {
		if w < from {
			shown(w)
		}
	}
	if from > 0 {
		row("", "", "", fmt.Sprintf("… %d before", from))
	}
	for i := from; i < to; i++ {
		shown(i)
	}
	if n := len(cs) - to; n > 0 {
		row("", "", "", fmt.Sprintf("… %d more", n))
	}
	return b.String()
}

// between are the numbers of the events between which it happened.
func between[C any](c *command[C]) string {
	if c.ret == forever {
		return strconv.FormatInt(c.call, 10) + "-"
	}
	return fmt.Sprintf("%d-%d", c.call, c.ret)
}

func tried[C any](c *command[C]) string {
	if c.tries < 2 {
		return "  " + c.op
	}
	return fmt.Sprintf("  %s, %d tries", c.op, c.tries)
}

// drawn keeps porcupine's picture among the artefacts, and says where it is.
func drawn(t TB, draw func(path string) error) string {
	a, ok := t.(artefacts)
	if !ok || !keepsArtefacts() {
		return ""
	}
	path, err := newFile(a.ArtifactDir(), "model", ".html", draw)
	if err != nil {
		return fmt.Sprintf("picture: not kept: %v\n", err)
	}
	return "picture: " + path + "\n"
}
