package wire

import _ "github.com/Shopify/toxiproxy/v2" // for Toxics

// Toxic is a fault of toxiproxy, which knows bytes and not steps. It holds for
// the whole life of a link: toxics can not be changed safely under traffic.
type Toxic struct {
	Type       string // "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data"
	Upstream   bool   // on what the system sends; else on what it receives
	Attributes map[string]int64
}
