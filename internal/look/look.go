// Package look holds what the texts and pages of the tool share: the style sheet,
// and words that fit a terminal.
package look

import _ "embed"

// Style is the style sheet of all pages.
//
//go:embed style.css
var Style string
