package observe

import (
	"fmt"
	"net"
	netsmtp "net/smtp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/history"
)

func place(t *testing.T, text string) MailPlace {
	t.Helper()
	p, err := ParseMailPlace(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSMTP(t *testing.T) {
	for _, c := range []struct {
		per  bool
		want []string
	}{
		{false, []string{"effect r-1 1", "mark  0", "effect r-1 2", "effect r-2 1"}},
		{true, []string{"effect r-1 1", "effect r-1 2", "mark  0", "effect r-1 3", "effect r-1 4", "effect r-2 1", "effect r-2 2"}},
	} {
		var events []string
		s := &SMTP{Name: "receipt", ID: place(t, "header X-Order"), PerRecipient: c.per}
		s.Attach(func(e history.Event, _ []byte) int64 {
			events = append(events, fmt.Sprintf("%s %s %d", e.Kind, e.Op, e.Count))
			return 0
		})
		at, stop, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"X-Order: r-1", "Subject: hello", "x-order: r-1", "X-Order: r-2"} {
			if err := netsmtp.SendMail(at, nil, "shop@shop.example", []string{"a@shop.example", "b@shop.example"}, []byte(header+"\r\n\r\nThank you\r\n")); err != nil {
				t.Error(err)
			}
		}
		n := 1
		if c.per {
			n = 2
		}
		if d := cmp.Diff([]Count{{ID: "r-1", N: 2 * n}, {ID: "r-2", N: n}}, read(t, s, Query{IDs: []string{"r-1", "r-2", "r-3"}})); d != "" {
			t.Error(d)
		}
		idle, err := net.Dial("tcp", at) // a connection that says nothing does not hold the end up
		if err != nil {
			t.Fatal(err)
		}
		stop()
		idle.Close()
		if d := cmp.Diff(c.want, events); d != "" {
			t.Error(d)
		}
		if err := s.take([]byte("X-Order: r-1\r\n\r\n"), 1); err == nil {
			t.Error("a mail was taken after the end")
		}
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if _, _, err := (&SMTP{}).Listen(busy.Addr().String()); err == nil {
		t.Error("want an error")
	}
}

func TestMailPlace(t *testing.T) {
	const multi = "Content-Type: multipart/mixed; boundary=B\r\nSubject: x\r\n\r\n--B\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<b>order r=2D=\r\n7</b>\r\n--B\r\nContent-Type: application/pdf\r\n\r\norder pdf\r\n--B--\r\n"
	for _, c := range []struct{ place, mail, want string }{
		{"header X-Order", "x-order:  r-1 \r\n\r\n", "r-1"},
		{"header Message-Id /<(.*)@/", "Message-ID: <r-1@shop.example>\r\n\r\n", "r-1"},
		{`subject /order (\S+)/`, "Subject: =?utf-8?Q?Your_order_r-5_=C3=A9?=\r\n\r\n", "r-5"},
		{`subject /r-\d+/`, "Subject: Your order r-5\r\n\r\n", "r-5"},
		{`body /order (r-\d+)/`, "Subject: order r-1\r\n\r\nYour order r-9.\r\n", "r-9"},
		{`body /order (r-\d+)/`, "Content-Transfer-Encoding: base64\r\n\r\nb3JkZXIg\r\nci0z\r\n", "r-3"},
		{`body /order (r-\d+)/`, multi, "r-7"},
		{`body /order (pdf)/`, multi, ""},
		{"header X-Order", "Subject: r-1\r\n\r\n", ""},
		{"header X-Order", "no mail", ""},
		{"subject /x(.)?/", "Subject: x\r", ""},
	} {
		got, err := place(t, c.place).in([]byte(c.mail))
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s in %q: got %q, %v", c.place, c.mail, got, err)
		}
	}
	for _, bad := range []string{"", "header", "header X: y", "subject", "subject order", "subject /", "body //", "body /(/", "to /a/"} {
		if _, err := ParseMailPlace(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// No mail makes it panic, whatever stands in it.
func FuzzMail(f *testing.F) {
	f.Add([]byte("Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nx\r\n--B--\r\n"))
	f.Add([]byte("Subject: =?utf-8?Q?x?=\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range []string{"header Subject", "subject /x(.)?/", "body /x/"} {
			place, _ := ParseMailPlace(p)
			if id, err := place.in(b); err == nil && strings.TrimSpace(id) == "" {
				t.Errorf("%q without an error", id)
			}
		}
	})
}
