package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Toxic is a fault of toxiproxy, which knows bytes and not steps. It holds for
// the whole life of a link: toxics can not be changed safely under traffic.
type Toxic struct {
	Type       string           // "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data"
	Upstream   bool             // on what the system sends; else on what it receives
	Attributes map[string]int64 // as toxiproxy names them, in its units: latency and jitter in ms, rate in KB/s, bytes
}

// toxics are the attributes of each type; those with a ! must be given and be
// more than 0, or toxiproxy would spin or fall over.
var toxics = map[string][]string{
	"latency":    {"latency", "jitter"},
	"bandwidth":  {"rate!"},
	"slow_close": {"delay"},
	"timeout":    {"timeout"},
	"reset_peer": {"timeout"},
	"slicer":     {"average_size!", "size_variation", "delay"},
	"limit_data": {"bytes"},
}

// check says what is not legal.
func (x Toxic) check() error {
	legal, ok := toxics[x.Type]
	if !ok {
		return fmt.Errorf("toxic %q is unknown; use %s", x.Type, strings.Join(slices.Sorted(maps.Keys(toxics)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Attributes)) {
		if !slices.Contains(legal, name) && !slices.Contains(legal, name+"!") {
			return fmt.Errorf("toxic %s has no attribute %q; use %s", x.Type, name, strings.ReplaceAll(strings.Join(legal, ", "), "!", ""))
		}
		if n := x.Attributes[name]; n < 0 || n > 1e9 {
			return fmt.Errorf("toxic %s: %s is %d; use 0 to 1000000000", x.Type, name, n)
		}
	}
	for _, name := range legal {
		if name, needed := strings.CutSuffix(name, "!"); needed && x.Attributes[name] == 0 {
			return fmt.Errorf("toxic %s needs %s, more than 0", x.Type, name)
		}
	}
	if x.Type == "slicer" && x.Attributes["size_variation"] >= x.Attributes["average_size"] {
		return fmt.Errorf("toxic slicer: size_variation must be less than average_size")
	}
	return nil
}

// poison puts toxiproxy between the link and the dependency, if there are toxics.
func (l *Link) poison() error {
	if len(l.config.Toxics) == 0 {
		return nil
	}
	if err := l.bridge(); err != nil {
		return err
	}
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), l.config.Name, "127.0.0.1:0", l.to.name)
	for i, x := range l.config.Toxics {
		if err := add(p, i, x); err != nil {
			return err
		}
	}
	if err := p.Start(); err != nil {
		return fmt.Errorf("toxiproxy: %w", err)
	}
	l.to = address{"tcp", p.Listen}
	l.undo = append(l.undo, p.Stop) // it does not wait for all, and can not be made to
	return nil
}

// bridge makes an address of TCP for a dependency on a unix socket, which toxiproxy can not reach.
func (l *Link) bridge() error {
	if l.to.network == "tcp" {
		return nil
	}
	inner, err := Open(Config{Name: l.config.Name, Protocol: TCP, To: l.to.String()})
	if err != nil {
		return err
	}
	l.to = inner.at
	l.undo = append(l.undo, func() { inner.Close() })
	return nil
}

func add(p *toxiproxy.Proxy, i int, x Toxic) error {
	stream := "downstream"
	if x.Upstream {
		stream = "upstream"
	}
	text, err := json.Marshal(struct {
		Name       string           `json:"name"`
		Type       string           `json:"type"`
		Stream     string           `json:"stream"`
		Toxicity   float32          `json:"toxicity"`
		Attributes map[string]int64 `json:"attributes"`
	}{strconv.Itoa(i), x.Type, stream, 1, x.Attributes})
	if err != nil {
		return err
	}
	if _, err := p.Toxics.AddToxicJson(bytes.NewReader(text)); err != nil {
		return fmt.Errorf("toxic %s: %w", x.Type, err)
	}
	return nil
}
