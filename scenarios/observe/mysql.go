package observe

import (
	"cmp"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"strings"

	driver "github.com/go-sql-driver/mysql"
)

// openMySQL reads a URL as people write it, which the driver does not take:
// mysql://user:password@host:3306/db?tls=true, or mysql:///db?socket=/run/mysqld.sock.
// As with PostgreSQL, an error never quotes what may be a piece of the password.
func openMySQL(text string) (*database, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("sql: the mysql URL can not be read; characters such as @ / : # % in its password must be percent-encoded")
	}
	d := &database{dialect: mysql, shown: redact(u), secrets: secrets(u)}
	config, err := mysqlConfig(u)
	if err != nil {
		return nil, d.wrap(err)
	}
	connector, err := driver.NewConnector(config)
	if err != nil {
		return nil, d.wrap(err)
	}
	d.pool = sql.OpenDB(connector)
	return d, nil
}

// mysqlConfig lets the driver read the parameters only: name and password need
// not be written in its form.
func mysqlConfig(u *url.URL) (*driver.Config, error) {
	query := u.Query()
	address := "tcp(" + net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "3306")) + ")"
	socket := query.Get("socket")
	if socket != "" {
		address = "unix(" + socket + ")"
	}
	query.Del("socket")
	c, err := driver.ParseDSN(address + "/?" + query.Encode())
	if err != nil {
		return nil, err
	}
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.DBName = strings.TrimPrefix(u.Path, "/")
	switch {
	case c.DBName == "":
		return nil, errors.New("it names no database: mysql://user@host:3306/db")
	case u.Hostname() == "" && socket == "":
		return nil, errors.New("it names no host: mysql://user@host:3306/db")
	}
	c.ParseTime = true
	c.MultiStatements, c.AllowAllFiles = false, false
	c.Timeout = patience
	c.Logger = &driver.NopLogger{} // errors come back to us
	return c, nil
}
