//go:build unix

package config

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWiring: a worker is started with the addresses of links and stand-ins,
// and all is gone after close.
func TestWiring(t *testing.T) {
	db, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f := parse(t, `
target: http://127.0.0.1:1
operations: {charge: {send: POST /charges}}
effects:
  card: {provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /order}}
links:
  db: {protocol: tcp, to: "${DB}"}
workers:
  api:
    run: [sh, -c, 'echo "$1 $DB $CARD"; exec sleep 60', sh, "${run} ${link.db}"]
    env: {DB: "postgres://app@${link.db}/shop", CARD: "${provider.card}"}
    ready: {line: postgres, within: 20s}
    points: false
`, map[string]string{"DB": db.Addr().String()})
	logs := t.TempDir()
	sys, closeAll, err := f.System(Options{Run: "r1", Logs: logs})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if err := f.Start(t.Context(), sys); err != nil {
		t.Fatal(err)
	}
	link, card := sys.Links[0].Addr(), sys.Providers["card"].URL()
	printed, _ := os.ReadFile(filepath.Join(logs, "api.log"))
	if want := "r1 " + link + " postgres://app@" + link + "/shop " + card + "\n"; string(printed) != want {
		t.Errorf("the worker printed %q, want %q", printed, want)
	}
	if !sys.Workers[0].Alive() {
		t.Error("it does not run")
	}
	closeAll()
	if sys.Workers[0].Alive() {
		t.Error("it runs after close")
	}
	if c, err := net.Dial("tcp", link); err == nil {
		c.Close()
		t.Error("the link listens after close")
	}
}

// TestWiringRefused holds what only the world can tell of links and workers.
func TestWiringRefused(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct{ block, want string }{
		{`links: {db: {protocol: tcp, to: "127.0.0.1:1", listen: "${BUSY}"}}`, `f: link db: .*address already in use`},
		{`workers: {api: {run: /no/such/program, points: false}}`, `worker api: .*/no/such/program`},
		{`workers: {api: {run: [sh, -c, "echo no database today; exit 3"], points: false}}`, `worker api: (?s).*exit status 3.*no database today`},
		{`workers: {api: {run: sleep 60, ready: {addr: "${BUSY}"}, points: false}}`, `worker api: .*answers before the start`},
	} {
		f := parse(t, "target: http://127.0.0.1:1\noperations: {a: {send: POST /a}}\n"+c.block+"\n", map[string]string{"BUSY": busy.Addr().String()})
		sys, closeAll, err := f.System(Options{Run: "r"})
		if err == nil {
			err = f.Start(t.Context(), sys)
			closeAll()
		}
		if err == nil || !regexp.MustCompile(c.want).MatchString(strings.TrimSpace(err.Error())) {
			t.Errorf("%s\ngot  %v\nwant %s", c.block, err, c.want)
		}
	}
}

// TestToxics: each kind that the file knows is one that a link takes.
func TestToxics(t *testing.T) {
	for _, k := range toxicKinds {
		text := "{type: " + k.name
		for _, field := range k.fields {
			text += ", " + field.name + ": 2"
			if field.unit > 0 {
				text += "ms"
			}
		}
		if k.name == "slicer" {
			text = strings.Replace(text, "average_size: 2", "average_size: 3", 1)
		}
		f := parse(t, "target: http://127.0.0.1:1\noperations: {a: {send: POST /a}}\nlinks: {db: {protocol: tcp, to: \"127.0.0.1:1\", listen: \"unix:"+filepath.Join(t.TempDir(), "db.sock")+"\", toxics: ["+text+"}]}}\n", nil)
		_, closeAll, err := f.System(Options{Run: "r"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		closeAll()
	}
}
