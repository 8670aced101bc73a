package sqlwrap

import (
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
)

// rowsOf says what an INSERT of 2 arguments adds: "order-1 order-2", "" if it is
// not counted, "? why" if it cannot be.
func rowsOf(text string, mysql bool, in Inserts, n int64, args ...driver.NamedValue) string {
	s := readStatement(text, mysql, []Inserts{in})
	if s.insert == nil {
		return "none"
	}
	if s.insert.why != "" {
		return "? " + s.insert.why
	}
	known := func(text string) bool { return strings.HasPrefix(text, "order-") }
	ids, ok := s.insert.ids(args, n, known, "other")
	if !ok {
		return "? which"
	}
	return strings.Join(ids, " ")
}

func TestInsertsAreRead(t *testing.T) {
	two := inOrder([]driver.Value{"order-1", "order-2"})
	charges, byID := Inserts{Table: "charges"}, Inserts{Table: "till.charges", ID: "order_id"}
	for _, c := range []struct {
		text  string
		in    Inserts
		n     int64
		args  []driver.NamedValue
		want  string
		mysql bool
	}{
		{text: "insert into charges values ($1, 5)", in: charges, n: 1, args: two, want: "order-1"},
		{text: "insert into charges values ($2, $1)", in: charges, n: 1, args: two, want: "order-2"},
		{text: `INSERT INTO "till"."charges" (amount, order_id) VALUES (?, ?)`, in: byID, n: 1, args: two, want: "order-2"},
		{text: "INSERT INTO charges (amount, order_id) VALUES (?, ?)", in: Inserts{Table: "Charges", ID: "ORDER_ID"}, n: 1, args: two, want: "order-2"},
		{text: "INSERT INTO till.charges (order_id) VALUES (?), (?)", in: byID, n: 2, args: two, want: "order-1 order-2"},
		{text: "INSERT INTO till.charges (order_id) VALUES (?), (?) ON CONFLICT DO NOTHING", in: byID, n: 1, args: two, want: "? which"},
		{text: "INSERT INTO till.charges (order_id) VALUES (?), (?) ON CONFLICT DO NOTHING", in: byID, args: two, want: ""},
		{text: "INSERT INTO till.charges (order_id) VALUES (?) ON CONFLICT (order_id) DO UPDATE SET n = 1", in: byID, n: 1, args: two,
			want: "? it changes a row that is there, and its result does not say whether it did"},
		{text: "INSERT INTO till.charges (order_id) VALUES ('order-7')", in: byID, n: 1, want: "order-7"},
		{text: "INSERT INTO till.charges (order_id) VALUES ('invoice-7')", in: byID, n: 1, want: ""},
		{text: "INSERT INTO till.charges (order_id) VALUES (lower(?::text))", in: byID, n: 1, args: two, want: "order-1"},
		{text: "INSERT INTO till.charges (order_id) VALUES (upper(current_user))", in: byID, n: 1, want: "other"},
		{text: "INSERT INTO charges (note) VALUES (DEFAULT)", in: charges, n: 1, want: "other"},
		{text: "INSERT INTO charges DEFAULT VALUES", in: charges, n: 1, want: "other"},
		{text: "INSERT INTO charges (order_id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM charges WHERE order_id = ?)", in: charges, n: 1, args: two, want: "order-1"},
		{text: "-- insert into charges\ninsert /* into x /* nested */ */ into charges (a) values (:a)", in: charges, n: 1,
			args: []driver.NamedValue{{Name: "a", Ordinal: 1, Value: "order-3"}}, want: "order-3"},
		{text: "insert into charges (a, b) values (@p2, @p1)", in: charges, n: 1, args: two, want: "order-2"},
		{text: "INSERT IGNORE INTO `charges` SET amount = 5, order_id = ?", in: Inserts{Table: "charges", ID: "order_id"}, n: 1, args: two, want: "order-1", mysql: true},
		{text: "# insert into charges\nINSERT charges VALUE (\"order-9\", 'it\\'s')", in: charges, n: 1, want: "order-9", mysql: true},
		{text: "INSERT INTO charges VALUES (?) ON DUPLICATE KEY UPDATE n = n", in: charges, n: 1, args: two, mysql: true,
			want: "? it changes a row that is there, and its result does not say whether it did"},
		{text: "REPLACE INTO charges VALUES (?)", in: charges, n: 1, args: two, want: "? it replaces rows that were there"},
		{text: "INSERT OR REPLACE INTO charges VALUES (?)", in: charges, n: 1, args: two, want: "? it replaces rows that were there"},
		{text: "INSERT OR IGNORE INTO charges AS c (a) VALUES (?)", in: charges, n: 1, args: two, want: "order-1"},
		{text: "WITH x AS (SELECT 1) INSERT INTO charges SELECT ?", in: charges, n: 1, args: two, want: "order-1"},
		{text: "WITH x AS (INSERT INTO charges VALUES (?) RETURNING id) SELECT * FROM x", in: charges, n: 1, args: two, want: "? it stands within another statement"},
		{text: "INSERT INTO charges VALUES (?); SELECT 1", in: charges, n: 1, args: two, want: "? the text has several statements"},
		{text: "INSERT INTO charges VALUES (?);", in: charges, n: 1, args: two, want: "order-1"},
		{text: "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO charges VALUES (1); END", in: charges, n: 1, want: "none"},
		{text: "INSERT INTO old_charges VALUES (?)", in: charges, n: 1, args: two, want: "none"},
		{text: "SELECT 'insert into charges', $$insert into charges$$, $x$ insert into charges $x$", in: charges, n: 1, want: "none"},
		{text: "UPDATE charges SET a = replace(a, 'x', 'y')", in: charges, n: 1, want: "none"},
		{text: "INSERT INTO charges", in: charges, n: 1, want: "other"},
		{text: "INSERT INTO charges (a", in: charges, n: 1, want: "other"},
		{text: "INSERT INTO", in: charges, n: 1, want: "none"},
	} {
		if got := rowsOf(c.text, c.mysql, c.in, c.n, c.args...); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestControlIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"BEGIN IMMEDIATE": "begin ", "start transaction read only": "begin ", "COMMIT;": "commit ", "END": "commit ",
		"rollback": "rollback ", "ROLLBACK WORK TO SAVEPOINT \"A\"": "back a", "rollback to a": "back a",
		"SAVEPOINT a": "savepoint a", "RELEASE SAVEPOINT a": "release a", "release a": "release a",
		"COMMIT PREPARED 'x'": " ", "select 1": " ", "": " ",
	} {
		s := readStatement(text, false, nil)
		if got := s.control + " " + s.point; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestArgumentsAsText(t *testing.T) {
	type orderID string
	text := "order-1"
	for _, v := range []any{"order-1", []byte("order-1"), orderID("order-1"), &text, valuer{"order-1"}, stringer{}} {
		if got, ok := textOf(v); got != "order-1" || !ok {
			t.Errorf("%T: %q, %v", v, got, ok)
		}
	}
	if got, ok := textOf(int64(7)); got != "7" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	for _, v := range []any{nil, 1.5, true, (*string)(nil), (*valuer)(nil), (*stringer)(nil), valuer{nil}} {
		if got, ok := textOf(v); ok {
			t.Errorf("%T: %q", v, got)
		}
	}
}

type valuer struct{ v driver.Value }

func (v valuer) Value() (driver.Value, error) { return v.v, nil }

type stringer struct{}

func (stringer) String() string { return "order-1" }

// The reader takes what it is given: no text breaks it.
func FuzzStatement(f *testing.F) {
	for _, text := range []string{"INSERT INTO charges (a) VALUES (?), ($1) ON CONFLICT DO UPDATE", "BEGIN", "'it''s", "$a$ $b$", "/* /*", "insert into charges set a = (", ")))((("} {
		f.Add(text, true)
		f.Add(text, false)
	}
	args := inOrder([]driver.Value{"order-1"})
	f.Fuzz(func(t *testing.T, text string, mysql bool) {
		s := readStatement(text, mysql, []Inserts{{Table: "charges", ID: "a"}})
		if s.insert == nil {
			return
		}
		known := func(text string) bool { return text == "order-1" }
		if ids, ok := s.insert.ids(args, int64(len(s.insert.rows)), known, ""); ok && slices.Contains(ids, "") {
			t.Errorf("%q: %q", text, ids)
		}
	})
}
