package proxy_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/idemcheck/idemcheck/internal/proxy/bench"
)

func TestMain(m *testing.M) {
	bench.Child(roles)
	goleak.VerifyTestMain(m)
}
