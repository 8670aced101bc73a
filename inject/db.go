package inject

import (
	"context"
	"database/sql"
	"slices"

	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// SiteDB is the site of what [Run.DB] strikes: the COMMITs of an operation, and
// its INSERTs that stand alone. Its Attempt counts them, from 1.
const SiteDB = SiteLink + "/db"

// Inserts names a table whose new rows are effects.
type Inserts struct {
	Table string // "charges" or "shop.charges"
	ID    string // the column that has the operation's id; "": the first value of a row that is an id of the run
}

// DB wraps the database of the system under test: each new row in one of the
// tables is an effect, and faults strike where something is committed. No line of
// the system changes. It belongs to the test, which closes it; db stays open, and
// is where a test looks by itself.
//
// A row counts when its transaction has been committed. Whose it is says the
// column [Inserts].ID, else the first value of the row that is an id of the run,
// else the attempt with whose context, or on whose goroutine, it is inserted. An
// INSERT waits, as [Run.Effect] does, for attempts that overlap. One that changes
// rows which are there (ON CONFLICT DO UPDATE, REPLACE) cannot be counted, and
// makes the history inconclusive; what a trigger, a procedure, COPY or MERGE
// inserts is not seen. A DELETE takes effects back, see [Run.Undo]: those of the
// first of its arguments that is an id of the run, else of the attempt.
//
// At each COMMIT of an operation that perhaps wrote something, and each counted
// INSERT outside a transaction, the schedule is asked for the site [SiteDB]:
//
//	lose-reply   it is done, and the caller gets a reset
//	refuse       it is not done: a serialization failure. PostgreSQL and MySQL
//	             raise it themselves (40001, 1213), so that it has the driver's
//	             type; else it has a method SQLState, which returns "40001"
//	kill-before  the transaction is rolled back, and the goroutine ends
//	kill-after   it is done, and the goroutine ends
//
// [KillBefore] and [KillAfter] of an attempt strike at the COMMIT of its effects.
// database/sql repeats nothing of this. Limits on connections are those of db,
// which keeps the connections; where the system sets its own on what DB returns,
// each kill takes one of them. On a nil *Run, DB returns db.
func (r *Run) DB(db *sql.DB, effects ...Inserts) *sql.DB {
	if r == nil {
		return db
	}
	r.t.Helper()
	var tables []sqlwrap.Inserts
	for _, in := range effects {
		tables = append(tables, sqlwrap.Inserts(in))
		if in.Table == "" {
			r.t.Fatalf("inject: Run.DB: an Inserts has no Table: name the table whose new rows are effects")
		}
		r.mu.Lock()
		if !slices.Contains(r.hooks, in.Table) {
			r.hooks = append(r.hooks, in.Table) // one that sees nothing makes nothing pass
		}
		r.mu.Unlock()
	}
	outer := sqlwrap.Wrap(dbHook{r}, db, tables)
	r.t.Cleanup(func() { _ = outer.Close() }) // it has no connections
	return outer
}

// dbHook is a Run as its databases see it.
type dbHook struct{ *Run }

func (r dbHook) Known(text string) bool { return r.operation(text) != nil }

func (r dbHook) Current(ctx context.Context) string {
	if a := attemptOf(ctx); a != nil && a.op != nil {
		return a.op.id
	}
	return ""
}

func (r dbHook) Here() string {
	me := goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, op := range r.ops {
		if op.on(me) != nil {
			return id
		}
	}
	return ""
}

// on is the attempt that runs on a goroutine. It is called with Run.mu held.
func (op *operation) on(goroutine int64) *attempt {
	i := slices.IndexFunc(op.running, func(a *attempt) bool { return a.goroutine == goroutine })
	if i < 0 {
		return nil
	}
	return op.running[i]
}

func (r dbHook) Meet(id string) { r.meet(r.operation(id)) }

func (r dbHook) Gather(id string) { r.gather(r.operation(id)) }

func (r dbHook) Effect(table, id string) {
	if r.parent != nil {
		r.parent.ask(word{Say: "effect", By: table, ID: id})
		return
	}
	r.happen(table, r.operation(id))
}

func (r dbHook) Undo(table, id string) {
	if r.parent != nil {
		r.parent.ask(word{Say: "undo", By: table, ID: id})
		return
	}
	r.takeBack(table, id) // a row that was never counted is none
}

func (r dbHook) Strike(id string, effects bool) sqlwrap.Fault {
	if r.parent != nil {
		return sqlwrap.Fault(r.parent.ask(word{Say: "strike", ID: id, Effects: effects}))
	}
	op := r.operation(id)
	if effects {
		if f := r.killing(op).kill; f != (Fault{}) {
			return sqlwrap.Fault(f)
		}
	}
	if fs := r.decide(SiteDB, op); len(fs) > 0 {
		return sqlwrap.Fault(fs[0])
	}
	return sqlwrap.Fault{}
}

func (r dbHook) Mortal(id string, f sqlwrap.Fault) bool {
	if r.parent != nil {
		return true // the process is
	}
	op, me := r.operation(id), goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	a := op.on(me)
	if a != nil {
		a.killed = Fault(f)
	}
	return a != nil
}

func (r dbHook) Fired(id string, struck sqlwrap.Fault, moment string) {
	f := Fault(struck)
	if r.parent != nil {
		r.parent.ask(word{Say: "fired", ID: id, Fault: &f, Text: moment})
		return
	}
	op, me, n := r.operation(id), goroutine(), 0
	r.mu.Lock()
	if a := op.on(me); a != nil {
		n = a.number
	}
	r.mu.Unlock()
	r.firedAt(op, n, f, moment)
}

func (r dbHook) Complain(id, why string) {
	if r.parent != nil {
		r.parent.ask(word{Say: "error", ID: id, Text: why})
		return
	}
	r.fail("%s", why)
}

func (dbHook) Lost(f sqlwrap.Fault) error { return errReset(Fault(f)) }

// fitting are the faults of a schedule that can be done at a site: one that serves
// all sites names those of others, too. What can be done nowhere stays, and is
// missed in the history.
func fitting(site string, fs []Fault) (fit []Fault) {
	kind := kindOf(site)
	for _, f := range fs {
		sites := sitesOf(f)
		further := kind == SiteLink && kills(f) || kind == SiteProvider && f.Name == LoseAnswer.Name // which the turn leaves out
		if len(sites) == 0 || slices.Contains(sites, kind) || further {
			fit = append(fit, f)
		}
	}
	return fit
}
