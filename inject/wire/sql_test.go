package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var sqlTexts = []struct{ text, name string }{
	{"", ""},
	{";", ""},
	{"-- ping", ""},
	{"select 1", ""},
	{"select * from charges where id = 'insert into x; commit'", ""},
	{"SHOW x; SET a = 1; RESET a; DISCARD ALL; DEALLOCATE p; LISTEN c; FETCH ALL FROM c; SAVEPOINT a; RELEASE a; ROLLBACK TO a", ""},
	{"insert into charges values (1)", "INSERT charges"},
	{"INSERT INTO public.Charges (id) VALUES ($1) ON CONFLICT DO UPDATE SET n = 1", "INSERT charges"},
	{`Insert Into "shop"."The ""Charges""" default values`, `INSERT The "Charges"`},
	{"insert into charges select * from other for update", "INSERT charges"},
	{"/* a /* b */ insert into x */ update only charges set n = 1", "UPDATE charges"},
	{"-- insert\nDELETE FROM charges c USING d", "DELETE charges"},
	{"merge into charges using x on true when matched then delete", "MERGE charges"},
	{"with a as (select 1) select * from a", ""},
	{"with a as (insert into keys values (1) returning *) select * from a", "INSERT keys"},
	{"with a as materialized (select 1), b as (delete from t) insert into charges select * from a", "DELETE t+INSERT charges"},
	{"with a as (select 1 from x for update) update charges set n = 1", "UPDATE charges+SELECT"},
	{"select * from only shop.charges c join d on true where a in (select b from e) for no key update of c skip locked", "SELECT charges"},
	{"select extract(day from now()) as d from charges for share", "SELECT charges"},
	{"(select 1 from a) union (select 2)", ""},
	{"select a is distinct from b from t for key share", "SELECT t"},
	{"select a, b into temp copy from charges", "SELECT INTO copy"},
	{"select pg_advisory_xact_lock(hashtext($1))", "SELECT pg_advisory_xact_lock"},
	{"select pg_notify('a', 'b')", "SELECT pg_notify"},
	{"notify orders, 'x'", "NOTIFY orders"},
	{"begin", "BEGIN"},
	{"START TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN"},
	{"begin; insert into charges values ('a;b'); commit", "INSERT charges+COMMIT"},
	{"begin; insert into a values (1); insert into a values (2); insert into b values (1); update c set x = 1; commit;", "INSERT a+INSERT b+more+COMMIT"},
	{"begin; insert into a values (1); insert into b values (1); insert into c values (1); update d set x = 1; commit;", "INSERT a+INSERT b+more+COMMIT"},
	{"COMMIT AND CHAIN", "COMMIT"},
	{"end", "COMMIT"},
	{"commit work", "COMMIT"},
	{"commit prepared 'x'", "COMMIT PREPARED"},
	{"prepare transaction 'x'", "PREPARE TRANSACTION"},
	{"prepare p as insert into charges values (1)", ""},
	{"execute p(1)", "EXECUTE p"},
	{"rollback", "ROLLBACK"},
	{"abort", "ROLLBACK"},
	{"rollback transaction to savepoint a", ""},
	{"copy shop.charges (id, n) from stdin with (format csv)", "COPY charges"},
	{"copy charges to stdout", ""},
	{"copy (select * from charges) to stdout", ""},
	{"call shop.pay(1, 2)", "CALL pay"},
	{"do $$ begin insert into x values (1); commit; end $$", "DO"},
	{"do $a$ $$; commit; $$ $a$; commit", "DO+COMMIT"},
	{"select $1, E'\\'; commit; --', 'a'''; commit", "COMMIT"},
	{"select U&'a', x'1f', a.$1, 1e5, .5, 'a' 'b'; rollback", "ROLLBACK"},
	{"create table if not exists shop.charges (id int)", "CREATE TABLE charges"},
	{"create unique index concurrently if not exists i on charges (id)", "CREATE INDEX i"},
	{"create function f() returns int begin atomic insert into a values (1); select 1; end", "CREATE FUNCTION f"},
	{"create or replace function f() returns int language sql as 'insert into a; commit'; drop table x", "CREATE FUNCTION f+DROP TABLE x"},
	{"truncate table charges", "TRUNCATE charges"},
	{"lock table charges in exclusive mode", "LOCK charges"},
	{"refresh materialized view concurrently v", "REFRESH v"},
	{"insert into charges values ('not closed; commit", "INSERT charges"},
	{"insert into charges values (/* not closed; commit", "INSERT charges"},
	{"insert", "INSERT"},
	{"insert into charges values ($a$ not closed; commit", "INSERT charges"},
}

func TestSQLNames(t *testing.T) {
	for _, c := range sqlTexts {
		if got := sqlActOf(c.text).name; got != c.name {
			t.Errorf("%s\n got %q\nwant %q", c.text, got, c.name)
		}
	}
}

func TestSQLShown(t *testing.T) {
	text := "INSERT INTO cards\n\t(pan, \"N\")  VALUES ('4111111111111111', E'\\'', $$x$$, 42, $1) -- secret"
	if got, want := sqlActOf(text).text, `INSERT INTO cards (pan, "N") VALUES (?, ?, ?, ?, $1)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzSQL(f *testing.F) {
	for _, c := range sqlTexts {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		act := sqlActOf(text)
		if len(act.text) > 200 || !utf8.ValidString(act.text) {
			t.Errorf("shown as %q", act.text)
		}
		if strings.Count(act.name, "+") > mostNames && !strings.ContainsAny(text, "+") {
			t.Errorf("named %q", act.name)
		}
		for _, before := range []string{"/* /* commit; */ */ ", ";", "-- commit;\n", "select 'commit;' ;"} {
			if got := sqlActOf(before + text); got.name != act.name || got.kind != act.kind {
				t.Errorf("%q is %q, but after %q it is %q", text, act.name, before, got.name)
			}
		}
	})
}
