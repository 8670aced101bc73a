package proxy

import "net"

// ServeOn takes callers on a listener of the test's as well.
func (p *Proxy) ServeOn(l net.Listener) {
	d := &door{Listener: l}
	p.doors = append(p.doors, d)
	d.serve(func(c net.Conn) { p.handled.Go(func() { p.handle(c) }) })
}

// ReadTotals reads all totals now, and not only when it is time.
func (p *Proxy) ReadTotals() { p.totals.sample(p.ctx) }
