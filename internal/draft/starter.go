package draft

import _ "embed"

// Starter is an idemcheck.yaml to begin with by hand.
//
//go:embed starter.yaml
var Starter string
