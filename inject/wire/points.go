package wire

import "errors"

// Points is where the points of code (package point) of the workers meet the
// tool: a unix socket, whose path goes into IDEMCHECK_POINTS.
type Points struct{}

// OpenPoints listens on a unix socket in dir.
func OpenPoints(dir string) (*Points, error) { return nil, errors.New("wire: not built yet") }

// Env is the line for the environment of a worker: "IDEMCHECK_POINTS=*=unix:/tmp/x/points.sock".
func (p *Points) Env() string { return "" }

// Watch makes h see every point that is met from now on; nil: all go on at once.
func (p *Points) Watch(h Hook) {}

// Close lets all go on and removes the socket.
func (p *Points) Close() error { return nil }
