package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// way is how one attempt of an operation is delivered. The zero way is the plain one.
type way struct {
	variant  string
	body     *live // whose body it takes; nil: its own
	fault    inject.Fault
	entry    string // the configured operation through which it goes; "": its own
	replica  int    // which address of the target, from 1; 0: the first
	actor    string // "": client
	before   bool   // it only runs because another operation needs it
	together string // attempts with the same value are sent to overlap
}

// delivery is one attempt on its way.
type delivery struct {
	op      *live
	msg     target.Message
	attempt int
	actor   string
}

// send delivers one attempt and records both ends of it.
func (r *runner) send(ctx context.Context, op *live, w way) (ending, error) {
	d, err := r.begin(ctx, op, w)
	if err != nil {
		return ending{}, err
	}
	return r.finish(ctx, d)
}

// begin makes an attempt ready to leave.
func (r *runner) begin(ctx context.Context, op *live, w way) (delivery, error) {
	if err := r.prepare(ctx, op); err != nil {
		return delivery{}, err
	}
	d, err := r.invoke(ctx, op, w)
	if err == nil && w.fault.Name != "" {
		r.armed(op.case_, op.id, w.fault, 1)
	}
	return d, err
}

// finish sends what was begun and waits for its answer.
func (r *runner) finish(ctx context.Context, d delivery) (ending, error) {
	ctx, cancel := context.WithTimeout(ctx, r.sys.Limits.Attempt)
	defer cancel()
	return r.ended(d, r.sys.Target.Send(ctx, d.msg))
}

// invoke renders an attempt and records that it begins.
func (r *runner) invoke(ctx context.Context, op *live, w way) (delivery, error) {
	if err := r.allow(ctx); err != nil {
		return delivery{}, err
	}
	n := r.try(op)
	msg, err := r.sys.Target.Render(op.attempt(n, w), w.fault)
	if err != nil {
		return delivery{}, fmt.Errorf("make the request of %s: %w", op.Name, err)
	}
	r.mu.Lock()
	if msg.Key != "" && !slices.Contains(op.sent, msg.Key) {
		op.sent = append(op.sent, msg.Key)
	}
	r.mu.Unlock()
	if r.board != nil {
		r.board.turn(map[bool]*live{false: op}[w.before]) // steps of what runs before it are not its own
	}
	d := delivery{op, msg, n, cmp.Or(w.actor, "client")}
	r.traffic.set(op, n, false)
	r.rec.Add(history.Event{
		Kind: history.Invoke, Case: op.case_, Op: op.id, Name: op.Name, Scope: op.scope, Key: msg.Key,
		Attempt: n, Actor: d.actor, Attrs: w.attrs(op, msg),
	}, msg.Body)
	return d, nil
}

// try is the number of the next attempt: operations of one id and scope share
// their numbers, as versions of one entity do.
func (r *runner) try(op *live) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	op.begun = true
	who := [2]string{op.id, op.scope}
	r.tries[who]++
	return r.tries[who]
}

// attempt is what the target must know to make the request.
func (l *live) attempt(n int, w way) target.Attempt {
	a := target.Attempt{
		Operation: l.Name, ID: l.id, Key: l.key, Number: l.number, Attempt: n, Scope: l.scope, Variant: w.variant,
		Values: l.values, Numbers: l.numbers, Value: l.value, Version: l.version, Entry: w.entry, Replica: w.replica,
	}
	if w.body != nil {
		a.Number, a.Values, a.Numbers = w.body.number, w.body.values, w.body.numbers
	}
	return a
}

// attrs are what the history says of the attempt's request.
func (w way) attrs(op *live, msg target.Message) map[string]string {
	attrs := map[string]string{history.AttrRequest: msg.Line}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	for k, v := range map[string]string{
		history.AttrKeyless: msg.Keyless, history.AttrVariant: msg.Variant,
		history.AttrFault: w.fault.Name, history.AttrArg: w.fault.Arg, history.AttrTogether: w.together,
		history.AttrVersion: number(op.version), history.AttrValue: op.value, history.AttrEntry: w.entry, history.AttrReplica: number(w.replica),
		history.AttrAlike: op.alike,
	} {
		if v != "" {
			attrs[k] = v
		}
	}
	if w.before {
		attrs[history.AttrBefore] = "true"
	}
	return attrs
}

// allow counts an attempt and keeps the run within its limits.
func (r *runner) allow(ctx context.Context) error {
	if n := r.sent.Add(1); n > int64(r.sys.Limits.Attempts) {
		r.stop(fmt.Errorf("the run reached its limit of %d attempts (limits: attempts)", r.sys.Limits.Attempts))
	}
	return r.pace.wait(ctx, r.sys.Limits.Rate)
}

// ended records the end of an attempt, after the fault that made it so.
func (r *runner) ended(d delivery, a inject.Answer) (ending, error) {
	r.lastEnd.Store(time.Now().UnixNano())
	f := d.msg.Fault
	if f.Name != "" && a.Fired {
		r.rec.Add(history.Event{
			Kind: history.Fault, Case: d.op.case_, Op: d.op.id, Scope: d.op.scope, Name: f.Name, Attempt: d.attempt,
			Actor: tool, Hidden: a.Hidden, Attrs: arg(f),
		}, nil)
	}
	class, err := r.sys.Contract.ClassifyAnswer(a.Status, a.Body)
	if err != nil {
		err = &configurationError{fmt.Sprintf("%s answered %s %s, which idemcheck does not follow: put %s into the file",
			d.msg.Line, a.Status, "with a redirect", location(a))}
		r.giveUp(err)
		return ending{}, err
	}
	if !r.answered.Swap(true) && (a.Status == "unreachable" || a.Status == "reset" || a.Status == "timeout") && !a.Fired {
		err := &UnreachableError{r.sys.Address, a.Status, a.Err}
		r.giveUp(err)
		return ending{}, err
	}
	return r.recordEnd(d, a, class), nil
}

func (r *runner) recordEnd(d delivery, a inject.Answer, class contract.Class) ending {
	attrs := map[string]string{}
	for k, vs := range a.Header {
		attrs[history.AttrHeader+strings.ToLower(k)] = strings.Join(vs, ", ")
	}
	if a.Cut {
		attrs[history.AttrCut] = "true"
	}
	e := history.Event{
		Kind: history.Kind(class), Case: d.op.case_, Op: d.op.id, Name: d.op.Name, Scope: d.op.scope, Key: d.msg.Key,
		Attempt: d.attempt, Actor: d.actor, Status: a.Status, Attrs: attrs,
	}
	if a.Err != nil {
		e.Cause = a.Err.Error()
	}
	r.mu.Lock()
	if class == contract.OK {
		d.op.effective, d.op.okKey = true, d.msg.Key
	}
	delete(r.last, d.op.id) // what was read before says nothing of this attempt
	delete(r.last, d.msg.Key)
	d.op.end = ending{e.Kind, a.Status, a.Status + string(a.Body), a.Header.Get("Retry-After"), a.Body, a.Header}
	end := d.op.end
	r.mu.Unlock()
	r.rec.Add(e, a.Body)
	r.traffic.set(d.op, d.attempt, true)
	return end
}

// armed records that a fault was asked for.
func (r *runner) armed(case_, op string, f inject.Fault, need int) {
	attrs := arg(f)
	attrs[history.AttrFault] = f.Name
	attrs["need"] = strconv.Itoa(need)
	r.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkArmed, Case: case_, Op: op, Actor: tool, Attrs: attrs}, nil)
}

func arg(f inject.Fault) map[string]string {
	if f.Arg == "" {
		return map[string]string{}
	}
	return map[string]string{history.AttrArg: f.Arg}
}

func location(a inject.Answer) string {
	if l := a.Header.Get("Location"); l != "" {
		return "its final address, " + l + ","
	}
	return "the final address"
}
