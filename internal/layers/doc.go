// Package layers holds the policy of this repository as tests: which package
// may import which (the arrows), what a library user compiles, the exported
// names, sizes, documentation, and words that must not appear.
//
//	go test ./internal/layers            checks it all
//	go test ./internal/layers -update    accepts a changed list of exported names
package layers
