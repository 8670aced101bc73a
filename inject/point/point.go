// Package point names places in code where a worker can be killed, stopped or
// held by idemcheck. It is the one thing of idemcheck that enters production
// code; without IDEMCHECK_POINTS it does nothing, in less than 2 ns.
//
// # The environment variable
//
// IDEMCHECK_POINTS is read once, when the process starts. It is a list of
// NAME=ACTION, parted by semicolons; the name * is every name. Actions:
//
//	kill          SIGKILL to itself: no deferred function runs
//	stop          SIGSTOP to itself, until somebody sends SIGCONT
//	pause:200ms   sleep
//	unix:PATH     meet the tool at a unix socket, and go on when it says so
//
// ACTION@3 acts only the third time that the process reaches the name. A value
// that can not be read is reported on stderr, and nothing is armed.
// docs/points.md says how other languages do the same.
package point

// armed is set before any code can reach a point, and never changes.
var armed = load()

// At is a place in code with a name: point.At("after-effect"). Names have 1 to
// 64 letters, digits, '.', '_', '/' and '-'.
func At(name string) {
	if armed != nil {
		armed.reach(name)
	}
}
