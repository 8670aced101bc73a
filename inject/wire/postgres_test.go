package wire

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// sqlState is the code of an error of the server.
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
