package config

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// ager is what the file's age: does, once it is asked to.
func (a *assembly) ager() error {
	if a.Age == nil {
		return nil
	}
	var made scenarios.Ager
	var err error
	switch age := a.Age; age.Kind {
	case "sql":
		made, err = observe.OpenAge(age.URL, age.Execs, a.Exclusive)
	case "redis":
		made, err = observe.OpenAgeRedis(age.URL, age.Keys)
	case "http":
		made = age.request(a.base, a.agent)
	case "command":
		made = observe.AgeCommand{Argv: age.Argv}
	case "wait":
		made = observe.AgeWait{Most: cmp.Or(a.Limits.Run, 10*time.Minute)}
	}
	if err != nil {
		return fmt.Errorf("%s: age: %w", a.Name, err)
	}
	if c, ok := made.(io.Closer); ok {
		a.closers = append(a.closers, func() { c.Close() })
	}
	a.sys.Age, a.sys.AgeBy = made, a.Age.By
	return nil
}

// request is the admin request; base is of the target.
func (age *Age) request(base *url.URL, agent string) *observe.AgeHTTP {
	h := &observe.AgeHTTP{Body: age.Body.Tree, JSON: age.Body.JSON}
	h.Method, h.URL, h.Base, h.Agent = age.HTTP.Method, age.HTTP.URL, base, agent
	h.Headers = observed(age.HTTP.Headers)
	return h
}
