package wire

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestToxicsActOnBytes(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		l := open(t, Config{
			Name: "dep", Protocol: TCP, To: serveTCP(t, network, echo),
			Toxics: []Toxic{
				{Type: "latency", Attributes: map[string]int64{"latency": 30}},
				{Type: "latency", Upstream: true, Attributes: map[string]int64{"latency": 30}},
				{Type: "limit_data", Attributes: map[string]int64{"bytes": 4}},
			},
		})
		c := dial(t, l.Addr())
		start := time.Now()
		_, _ = io.WriteString(c, "hello")
		if back, _ := io.ReadAll(c); string(back) != "hell" {
			t.Errorf("%s: %q came back", network, back)
		}
		if took := time.Since(start); took < 60*time.Millisecond {
			t.Errorf("%s: there and back in %v", network, took)
		}
	}
}

func TestToxicResetIsSeenAsReset(t *testing.T) {
	l := open(t, Config{Protocol: TCP, To: serveTCP(t, "tcp", echo), Toxics: []Toxic{{Type: "reset_peer"}}})
	c := dial(t, l.Addr())
	_, _ = io.WriteString(c, "hello")
	wantReset(t, c)
}

// A link with toxics still knows the steps.
func TestToxicsAndSteps(t *testing.T) {
	w := openWeb(t, nil)
	l := open(t, Config{Protocol: HTTP, To: w.link.config.To, Toxics: []Toxic{
		{Type: "slicer", Attributes: map[string]int64{"average_size": 7, "size_variation": 3}},
		{Type: "bandwidth", Upstream: true, Attributes: map[string]int64{"rate": 1000}},
	}})
	w.url = "http://" + l.Addr()
	seen := &steps{}
	l.Watch(seen.hook)
	if status, _, err := w.do(t, "POST", "/charges", "body"); status != 200 || err != nil {
		t.Errorf("%d %v", status, err)
	}
	same(t, seen.all(), []string{"POST /charges before", "POST /charges after 200 durable"})
}

func TestOpenSaysWhatIsNotLegal(t *testing.T) {
	good := Config{Name: "db", Protocol: TCP, To: "127.0.0.1:1"}
	for want, change := range map[string]func(*Config){
		"link db: no protocol; use wire.HTTP":                         func(c *Config) { c.Protocol = Protocol{} },
		`link db: to: "nowhere" is no address; use HOST:PORT`:         func(c *Config) { c.To = "nowhere" },
		`link db: to: "http://x:80" is no address`:                    func(c *Config) { c.To = "http://x:80" },
		"link db: to: unix: has no path":                              func(c *Config) { c.To = "unix:" },
		"link db: listen: the path of a unix socket may have 103":     func(c *Config) { c.Listen = "unix:" + filepath.Join("/tmp", strings.Repeat("x", 120)) },
		"link db: listen unix /not/there/x":                           func(c *Config) { c.Listen = "unix:/not/there/x" },
		`link db: toxic "slow" is unknown; use bandwidth, latency, l`: toxic("slow", nil),
		`link db: toxic latency has no attribute "ms"; use latency, `: toxic("latency", map[string]int64{"ms": 1}),
		"link db: toxic latency: jitter is -1; use 0 to 1000000000":   toxic("latency", map[string]int64{"jitter": -1}),
		"link db: toxic bandwidth needs rate, more than 0":            toxic("bandwidth", nil),
		"link db: toxic slicer: size_variation must be less":          toxic("slicer", map[string]int64{"average_size": 5, "size_variation": 5}),
	} {
		c := good
		change(&c)
		l, err := Open(c)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func toxic(kind string, attributes map[string]int64) func(*Config) {
	return func(c *Config) { c.Toxics = []Toxic{{Type: kind, Attributes: attributes}} }
}
