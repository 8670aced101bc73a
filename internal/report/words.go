package report

import common "github.com/idemcheck/idemcheck/internal/look"

const columns = common.Columns

// Words that fit a terminal, as in all texts of the tool.
var (
	clean  = common.Clean
	wrap   = common.Wrap
	width  = common.Width
	pad    = common.Pad
	fit    = common.Fit
	middle = common.Middle
	style  = common.Style
)
