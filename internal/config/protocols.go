package config

import "github.com/idemcheck/idemcheck/inject/wire"

// protocols are those that a link knows.
var protocols = []wire.Protocol{wire.Postgres, wire.HTTP, wire.TCP}

// protocol is the one of that name.
func protocol(name string) wire.Protocol {
	for _, p := range protocols {
		if p.Name == name {
			return p
		}
	}
	return wire.Protocol{} // the reader has refused it
}
