package wire

// Protocol finds the steps in what goes over a connection. Each is one file.
type Protocol struct {
	Name string // "postgres", "http", "tcp"

	// serve moves all bytes between c.down and c.up until either side ends, and
	// asks c.step at each step. It starts the goroutines that it needs and waits
	// for them; when it returns the link closes both sides. An error says what it
	// could not understand, for people.
	serve func(c *conn) error
}
