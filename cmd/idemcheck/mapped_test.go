package main

import (
	"net"
	"strconv"
	"testing"
)

// Addresses of services that are killed and started again differ, and none of
// them is one that a connection on its way out may get meanwhile.
func TestUnusedAddress(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		address := unusedAddress()
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := strconv.Atoi(port); n < 1024 || n >= 32768 || seen[address] {
			t.Errorf("%s, given before: %v", address, seen[address])
		}
		seen[address] = true
	}
}
