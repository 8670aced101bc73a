package observe

import "strconv"

// dialect is what databases write differently.
type dialect int

const (
	sqlite dialect = iota
	postgres
	mysql // also MariaDB
)

// mark is the placeholder of the n-th argument.
func (d dialect) mark(n int) string {
	switch d {
	case postgres:
		return "$" + strconv.Itoa(n)
	case mysql:
		return "?"
	}
	return "?" + strconv.Itoa(n)
}
