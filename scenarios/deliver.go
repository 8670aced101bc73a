package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// delivery is one attempt on its way.
type delivery struct {
	op      *live
	msg     target.Message
	attempt int
	actor   string
}

// send delivers one attempt and records both ends of it.
func (r *runner) send(ctx context.Context, op *live, ro role, body *live, f inject.Fault) error {
	if err := r.prepare(ctx, op); err != nil {
		return err
	}
	d, err := r.invoke(ctx, op, ro, body, f, "client", "")
	if err != nil {
		return err
	}
	if f.Name != "" {
		r.armed(op.case_, op.id, f, 1)
	}
	ctx, cancel := context.WithTimeout(ctx, r.sys.Limits.Attempt)
	defer cancel()
	return r.ended(d, r.sys.Target.Send(ctx, d.msg))
}

// invoke renders an attempt and records that it begins.
func (r *runner) invoke(ctx context.Context, op *live, ro role, body *live, f inject.Fault, actor, together string) (delivery, error) {
	if err := r.allow(ctx); err != nil {
		return delivery{}, err
	}
	r.mu.Lock()
	op.attempts++
	op.begun = true
	n := op.attempts
	r.mu.Unlock()
	a := target.Attempt{
		Operation: op.Name, ID: op.id, Key: op.key, Number: op.number, Attempt: n,
		Scope: op.scope, Variant: ro.variant, Values: op.values, Numbers: op.numbers,
	}
	if body != nil {
		a.Number, a.Values, a.Numbers = body.number, body.values, body.numbers
	}
	msg, err := r.sys.Target.Render(a, f)
	if err != nil {
		return delivery{}, fmt.Errorf("make the request of %s: %w", op.Name, err)
	}
	r.mu.Lock()
	if msg.Key != "" && !slices.Contains(op.sent, msg.Key) {
		op.sent = append(op.sent, msg.Key)
	}
	r.mu.Unlock()
	attrs := map[string]string{history.AttrRequest: msg.Line}
	for k, v := range map[string]string{
		history.AttrKeyless: msg.Keyless, history.AttrVariant: msg.Variant,
		history.AttrFault: f.Name, history.AttrArg: f.Arg, history.AttrTogether: together,
	} {
		if v != "" {
			attrs[k] = v
		}
	}
	r.rec.Add(history.Event{
		Kind: history.Invoke, Case: op.case_, Op: op.id, Name: op.Name, Scope: op.scope, Key: msg.Key,
		Attempt: n, Actor: actor, Attrs: attrs,
	}, msg.Body)
	return delivery{op, msg, n, actor}, nil
}

// allow counts an attempt and keeps the run within its limits.
func (r *runner) allow(ctx context.Context) error {
	if n := r.sent.Add(1); n > int64(r.sys.Limits.Attempts) {
		r.stop(fmt.Errorf("the run reached its limit of %d attempts (limits: attempts)", r.sys.Limits.Attempts))
	}
	return r.pace.wait(ctx, r.sys.Limits.Rate)
}

// ended records the end of an attempt, after the fault that made it so.
func (r *runner) ended(d delivery, a inject.Answer) error {
	f := d.msg.Fault
	if f.Name != "" && a.Fired {
		r.rec.Add(history.Event{
			Kind: history.Fault, Case: d.op.case_, Op: d.op.id, Scope: d.op.scope, Name: f.Name, Attempt: d.attempt,
			Actor: tool, Hidden: a.Hidden, Attrs: arg(f),
		}, nil)
	}
	class, err := r.sys.Contract.Classify(a.Status)
	if err != nil {
		err = &ConfigurationError{fmt.Sprintf("%s answered %s %s, which idemcheck does not follow: put %s into the file",
			d.msg.Line, a.Status, "with a redirect", location(a))}
		r.giveUp(err)
		return err
	}
	if !r.answered.Swap(true) && (a.Status == "unreachable" || a.Status == "reset" || a.Status == "timeout") && !a.Fired {
		err := &UnreachableError{r.sys.Address, a.Status, a.Err}
		r.giveUp(err)
		return err
	}
	r.recordEnd(d, a, class)
	return nil
}

func (r *runner) recordEnd(d delivery, a inject.Answer, class contract.Class) {
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
	d.op.end = ending{e.Kind, a.Status, a.Status + string(a.Body), a.Header.Get("Retry-After"), a.Body}
	r.mu.Unlock()
	r.rec.Add(e, a.Body)
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

var errBefore = errors.New("an operation that must run before did not succeed")

// prepare runs the operations that must run before op, once, and takes their values.
func (r *runner) prepare(ctx context.Context, op *live) error {
	if op.prepared {
		return nil
	}
	op.prepared = true
	next := op.block
	return r.before(ctx, op, &next)
}

func (r *runner) before(ctx context.Context, op *live, next *int) error {
	for _, name := range op.Before {
		*next++
		b := r.open(r.operation(name), *next, *next, op.scope, op.case_)
		if err := r.before(ctx, b, next); err != nil {
			return err
		}
		b.prepared = true
		if err := r.send(ctx, b, role{}, nil, inject.Fault{}); err != nil {
			return err
		}
		if b.end.kind != history.OK {
			return fmt.Errorf("%w: %s, which %s needs, answered %s %s", errBefore, name, op.Name, b.end.status, b.end.text())
		}
		maps.Copy(op.values, b.values)
		maps.Copy(op.numbers, b.numbers)
		if err := op.takeFrom(b); err != nil {
			return err
		}
	}
	return nil
}
