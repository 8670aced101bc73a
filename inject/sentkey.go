package inject

import (
	"net/http"
	"slices"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// carrier is where a contract says that the key travels.
func carrier(c *contract.Contract) string {
	if v := c.Carrier.Values; len(v) > 0 {
		return v[0]
	}
	return "header Idempotency-Key"
}

// sentKey is the bare key that a request carries, "" if none.
func sentKey(c *contract.Contract, r *http.Request, body []byte) string {
	where := carrier(c)
	if where == "none" || where == "derived" {
		return ""
	}
	key := place(where, r, body)
	// Without the quotes that the contract's syntax puts round it.
	if slices.Contains(c.Syntax.Values, "quoted") && len(key) > 1 && key[0] == '"' && key[len(key)-1] == '"' {
		return key[1 : len(key)-1]
	}
	return key
}
