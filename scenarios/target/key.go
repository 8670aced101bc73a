package target

import (
	"crypto/sha256"
	"fmt"
)

// Key is the idempotency key of an operation: a version 4 UUID in form (some
// services take nothing else), yet a pure function of the id, so that it is as
// unique as the id and the same at every attempt.
func Key(id string) string {
	b := sha256.Sum256([]byte("idemcheck key " + id))
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80 // the variant of RFC 9562
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
