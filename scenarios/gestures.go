package scenarios

import (
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// gesture is something that callers, networks and machines do, a few steps long.
type gesture struct {
	weight int
	steps  func(*drawer) []Step
}

// gestures are all that plans are drawn from. What makes no sense for an
// operation is drawn again, so the weights hold among those that do.
var gestures = []gesture{
	{6, again},
	{6, broken},
	{4, changed},
	{4, badKey},
	{6, copies},
	{6, beside},
	{8, provided},
	{4, aged},
	{1, waiting},
	{4, others},
	{6, twins},
	{2, edge},
	{5, versioned},
	{2, asking},
	{6, struck},
	{4, handled},
	{3, away},
}

// send is a delivery, now and then to another address or by another way in.
func (d *drawer) send(do, role string) Step {
	s := Step{Do: do, Role: role}
	switch d.pick(8, 1, 1) {
	case 1:
		if d.sys.Replicas > 1 {
			s.Replica = d.sys.Replicas
		}
	case 2:
		if d.sys.entry("other", d.op) != "" {
			s.Entry = "other"
		}
	}
	return s
}

// faulted is a delivery that a fault strikes.
func (d *drawer) faulted(do, role string, f inject.Fault) Step {
	s := d.send(do, role)
	s.Fault = f
	return s
}

// again sends once or more, in a row.
func again(d *drawer) (steps []Step) {
	role := d.any()
	for range 1 + d.IntN(3) {
		steps = append(steps, d.send(doSend, role))
	}
	return steps
}

// broken loses something on the way.
func broken(d *drawer) []Step {
	f := one(d, inject.LoseAnswer, inject.LoseRequest, inject.ReplaceAnswer, inject.Fault{Name: inject.CutClient.Name,
		Arg: one(d, "headers-sent", "half-body", "body-sent", "answer-begun")})
	return []Step{d.faulted(doSend, d.any(), f)}
}

// changed sends the same with another payload, or the same payload in other bytes.
func changed(d *drawer) []Step {
	role := d.old()
	if d.IntN(4) == 0 {
		return []Step{d.send(doSend, role), d.faulted(doSend, role, inject.Reencode)}
	}
	variant := role + "/changed"
	if n := len(d.op.Fields); n > 0 && d.IntN(2) == 0 {
		variant = role + "/" + d.op.Fields[d.IntN(n)]
	}
	return []Step{d.send(doSend, role), d.send(doSend, variant)}
}

// badKey sends under another key, none, or one that is no good.
func badKey(d *drawer) []Step {
	f := one(d, inject.ChangeKey, inject.DropKey, inject.Fault{Name: inject.MalformKey.Name,
		Arg: one(d, "empty", "blank", "malformed", "over-long", "doubled", "non-ascii")})
	return []Step{d.faulted(doSend, d.any(), f)}
}

// copies sends several at once.
func copies(d *drawer) []Step {
	role, s := d.any(), Step{Do: doTogether}
	for range 2 + d.IntN(4) {
		s.Steps = append(s.Steps, d.send(doSend, role))
	}
	if d.IntN(3) == 0 {
		s.Steps[len(s.Steps)-1] = d.send(doSend, d.fresh())
	}
	for range 3 + d.IntN(4) {
		s.Offset = append(s.Offset, float64(one(d, 0, 0, 10, 30, 50, 75, 90))/100)
	}
	return []Step{s}
}

// beside starts a delivery and sends another one meanwhile.
func beside(d *drawer) []Step {
	role := d.any()
	steps := []Step{d.send(doStart, role)}
	if d.IntN(3) == 0 {
		steps[0].Fault = inject.Fault{Name: inject.Delay.Name, Arg: one(d, "50ms", "200ms")}
	}
	if d.IntN(2) == 0 {
		steps = append(steps, Step{Do: doWait, Amount: one(d, Amount{Exact: 20 * time.Millisecond}, Amount{Exact: 100 * time.Millisecond}, Amount{Times: 0.5, Unit: unitHandler})})
	}
	return append(steps, d.meanwhile(role), Step{Do: doJoin, Role: "all"})
}

// meanwhile is what is sent while an attempt of a role runs.
func (d *drawer) meanwhile(role string) Step {
	switch d.pick(5, 2, 1) {
	case 1:
		return d.send(doSend, role+"/changed")
	case 2:
		return d.faulted(doSend, role, inject.ChangeKey)
	}
	return d.send(doSend, role)
}

// provided lets a provider fail a fresh operation.
func provided(d *drawer) []Step {
	role := d.fresh()
	arm := func(f inject.Fault) Step {
		return Step{Do: doArm, Arm: inject.SiteProvider, Fault: f, Role: role, Call: 1}
	}
	slow := inject.Fault{Name: inject.Slow.Name, Arg: one(d, "100ms", "400ms", "1.5 claim")}
	failing := one(d, inject.Fail, inject.Fault{Name: inject.Fail.Name, Arg: "after"}, inject.Refuse, inject.LoseAnswer)
	switch d.pick(4, 3, 2) {
	case 0:
		return []Step{arm(failing), d.send(doSend, role), d.faultless(role)}
	case 1:
		wait := Amount{Exact: 50 * time.Millisecond}
		if slow.Arg == "1.5 claim" {
			wait = one(d, Amount{Times: 0.3, Unit: unitClaim}, Amount{Times: 1.2, Unit: unitClaim})
		}
		steps := []Step{arm(slow), d.send(doStart, role), {Do: doWait, Amount: wait}, d.meanwhile(role), {Do: doJoin, Role: "all"}}
		if d.IntN(2) == 0 {
			steps = append([]Step{arm(failing)}, steps...)
		}
		return steps
	}
	return []Step{arm(inject.Hold), d.send(doStart, role), {Do: doWait, Amount: Amount{Exact: 20 * time.Millisecond}}, d.meanwhile(role), {Do: doJoin, Role: "all"}}
}

// faultless sends a role once more: as it is, under another payload or another key.
func (d *drawer) faultless(role string) Step { return d.meanwhile(role) }

// aged sends, lets the record grow older, and sends again.
func aged(d *drawer) []Step {
	role := d.old()
	by := one(d, Amount{Times: 0.9, Unit: unitLife}, Amount{Times: 1.1, Unit: unitLife}, Amount{Times: 1.1, Unit: unitClaim})
	steps := []Step{d.send(doSend, role), {Do: doAge, Role: role, Amount: by}}
	if d.IntN(2) == 0 {
		return append(steps, Step{Do: doTogether, Steps: []Step{{Do: doSend, Role: role}, {Do: doSend, Role: role}, {Do: doSend, Role: role}}})
	}
	return append(steps, d.meanwhile(role))
}

func waiting(d *drawer) []Step {
	return []Step{{Do: doWait, Amount: one(d, Amount{Exact: 200 * time.Millisecond}, Amount{Times: 0.5, Unit: unitClaim}, Amount{Times: 1.1, Unit: unitClaim})}}
}

// others sends other operations before a repeat.
func others(d *drawer) []Step {
	role := d.old()
	return []Step{d.send(doSend, role), {Do: doFill, Count: one(d, 1, 2, 5, 20, 60)}, d.send(doSend, role)}
}

// twins sends an operation that is easily taken for another one.
func twins(d *drawer) []Step {
	role := d.fresh()
	first := Step{Do: doSend, Role: role}
	control := func(s Self) Step {
		c := Step{Do: doSend, Role: d.fresh(), Self: s}
		if c.Self.Key.How != "" {
			c.Self.Key.Of = c.Role
		}
		if c.Self.ID.How != "" {
			c.Self.ID.Of = c.Role
		}
		return c
	}
	switch d.pick(2, 2, 3, 4, 3) {
	case 0: // another tenant's operation of the same id and key
		return []Step{control(Self{}), first, {Do: doSend, Role: role + "@2"}}
	case 1: // the same body
		return []Step{first, {Do: doSend, Role: d.fresh(), Body: role}}
	case 2: // the same key elsewhere
		word := one(d, otherOperation, otherMethod)
		c := control(Self{Operation: word})
		return []Step{c, first, {Do: doSend, Role: d.fresh(), Self: Self{Operation: word, Key: Alike{Of: role}}}}
	case 3: // a key that looks the same
		how := one(d, likenessNames()...)
		c := control(Self{Key: Alike{How: how}})
		first.Self.Key = Alike{How: how}
		second := Step{Do: doSend, Role: d.fresh(), Self: Self{Key: Alike{Of: role, How: how}}}
		if !d.op.OwnBody && !d.op.Bodyless && d.IntN(2) == 0 {
			second.Body = role
		}
		return []Step{c, first, second}
	}
	how := one(d, likenessNames()...)
	c := control(Self{ID: Alike{How: how}})
	first.Self.ID = Alike{How: how}
	return []Step{c, first, {Do: doSend, Role: d.fresh(), Self: Self{ID: Alike{Of: role, How: how}}}}
}

// edge sends a payload at the edge of what a service takes, and repeats it.
func edge(d *drawer) []Step {
	role := d.fresh()
	return []Step{{Do: doSend, Role: role, Self: Self{Value: one(d, target.Values()...)}}, {Do: doSend, Role: role}}
}

// versioned sends versions of one entity out of order.
func versioned(d *drawer) (steps []Step) {
	if d.op.Versions < 2 {
		return nil
	}
	letter := d.letter()
	for range 2 + d.IntN(3) {
		steps = append(steps, Step{Do: doSend, Role: letter + "#" + string(rune('1'+d.IntN(min(d.op.Versions, 9))))})
	}
	if d.IntN(4) == 0 {
		roles := steps[:0]
		for v := range min(d.op.Versions, 3) {
			roles = append(roles, Step{Do: doSend, Role: letter + "#" + string(rune('1'+v))})
		}
		return []Step{{Do: doShuffle, Steps: slices.Clone(roles)}}
	}
	return steps
}

// asking loses something, and asks whether it happened.
func asking(d *drawer) []Step {
	role := d.letter()
	return []Step{d.faulted(doSend, role, one(d, inject.LoseAnswer, inject.LoseRequest)), {Do: doReconcile, Role: role}}
}

// struck strikes at a moment of a fresh operation.
func struck(d *drawer) []Step {
	if len(d.sys.Links) == 0 && d.sys.Points == nil {
		return nil
	}
	role := d.fresh()
	arm := Step{Do: doArm, Arm: inject.SiteLink, Fault: one(d, inject.Cut, inject.LoseReply, inject.Refuse, inject.Hold), Role: role, Moment: one(d, momentWords...)}
	if len(d.sys.Workers) > 0 && d.IntN(2) == 0 {
		arm.Arm, arm.Fault = inject.SiteWorker, one(d, inject.KillBefore, inject.KillAfter)
	}
	if arm.Fault == inject.Hold {
		return []Step{arm, d.send(doStart, role), d.send(doSend, role), {Do: doJoin, Role: "all"}}
	}
	return []Step{arm, d.send(doSend, role)}
}

// handled kills or restarts workers between deliveries.
func handled(d *drawer) []Step {
	if len(d.sys.Workers) == 0 {
		return nil
	}
	role := d.old()
	return []Step{d.send(doSend, role), {Do: one(d, doKill, doRestart), Arm: inject.SiteWorker}, d.send(doSend, role)}
}

// away takes the store away while something is sent.
func away(d *drawer) []Step {
	if len(d.sys.Links) == 0 {
		return nil
	}
	role := d.any()
	steps := []Step{{Do: one(d, doDown, doReadOnly), Arm: inject.SiteLink}}
	for range 1 + d.IntN(2) {
		steps = append(steps, d.send(doSend, role))
	}
	return append(steps, Step{Do: doUp, Arm: inject.SiteLink}, d.send(doSend, role))
}
