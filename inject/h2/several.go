package h2

import (
	"errors"
	"net/http"
)

var errSeveral = errors.New("copies that overlap in one packet go to one address: use protocol http/1.1 for several replicas")

func messages(rs []*http.Request) (ms []message, err error) {
	for _, r := range rs {
		m, err := newMessage(r)
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// oneServer tells whether all go to one address.
func oneServer(ms []message) bool {
	for _, m := range ms {
		if m.address != ms[0].address || m.server != ms[0].server {
			return false
		}
	}
	return len(ms) > 0
}
