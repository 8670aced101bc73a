// Package look holds what the texts and pages of the tool share: the style sheet,
// a script, and words that fit a terminal.
package look

import _ "embed"

// Style is the style sheet of all pages.
//
//go:embed style.css
var Style string

// Copy is a script with the function copyButtons(said), which puts a button beside
// each pre[data-copy] of a page.
//
//go:embed copy.js
var Copy string
