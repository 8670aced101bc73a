package scenarios

import (
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// gesture is something that callers, networks and machines do, a few steps long.
// It may draw what does not matter much; nil: it can not be done here.
type gesture func(*drawer) []Step

// gestures are all that plans are made of. Each is one card of the deck, so what
// has many forms stands here once for each.
func gestures() (all []gesture) {
	add := func(gs ...gesture) { all = append(all, gs...) }
	add(again, again, elsewhere, otherWay, otherWayFirst, copies, copies, besideWith(repeated), besideWith(repeated), besideWith(altered), besideWith(rekeyed), delayed)
	for _, f := range []inject.Fault{inject.LoseAnswer, inject.LoseAnswer, inject.LoseRequest, inject.ReplaceAnswer} {
		add(broken(f))
	}
	for _, stage := range []string{"headers-sent", "half-body", "body-sent", "answer-begun"} {
		add(broken(inject.Fault{Name: inject.CutClient.Name, Arg: stage}))
	}
	add(changed, changedField, reencoded, rekeyedSend(inject.ChangeKey), rekeyedSend(inject.DropKey))
	for _, form := range []string{"empty", "blank", "malformed", "over-long", "doubled", "non-ascii"} {
		add(rekeyedSend(inject.Fault{Name: inject.MalformKey.Name, Arg: form}))
	}
	for _, f := range []inject.Fault{inject.Fail, {Name: inject.Fail.Name, Arg: "after"}, inject.Refuse, inject.LoseAnswer} {
		add(provided(f, repeated))
	}
	add(provided(inject.Fail, altered), provided(inject.Refuse, rekeyed), slowed(repeated), slowed(altered), slowedFailing, outlived(0.3), outlived(1.2), heldCall)
	add(aged(0.9, unitLife), aged(1.1, unitLife), aged(1.1, unitClaim), agedTogether, agedChanged)
	add(waiting, others(1), others(5), others(30), otherScope, sameBody, elsewhereKey(otherOperation), elsewhereKey(otherMethod))
	for _, how := range likenessNames() {
		add(alikeKeys(how), alikeIDs(how))
	}
	for _, value := range target.Values() {
		add(edge(value))
	}
	add(olderLast, versions, shuffled, shuffled, asked(inject.LoseAnswer), asked(inject.LoseRequest))
	return append(all, machines()...)
}

// machines are the gestures on links and workers.
func machines() (all []gesture) {
	for _, moment := range momentWords {
		for _, f := range []inject.Fault{inject.Cut, inject.LoseReply, inject.Refuse, inject.Hold} {
			all = append(all, struckAt(inject.SiteLink, f, moment))
		}
		for _, f := range []inject.Fault{inject.KillBefore, inject.KillAfter} {
			all = append(all, struckAt(inject.SiteWorker, f, moment))
		}
	}
	return append(all, between(doKill), between(doRestart), awayWhile(doDown), awayWhile(doReadOnly))
}

// what is sent beside or after another delivery of a role.
type what func(d *drawer, role string) Step

func repeated(_ *drawer, role string) Step { return Step{Do: doSend, Role: role} }
func altered(_ *drawer, role string) Step  { return Step{Do: doSend, Role: role + "/changed"} }
func rekeyed(_ *drawer, role string) Step {
	return Step{Do: doSend, Role: role, Fault: inject.ChangeKey}
}

func send(role string) Step { return Step{Do: doSend, Role: role} }

func start(role string) Step { return Step{Do: doStart, Role: role} }

var joinAll = Step{Do: doJoin, Role: "all"}

func pass(d time.Duration) Step { return Step{Do: doWait, Amount: Amount{Exact: d}} }

// again sends once or more, in a row.
func again(d *drawer) (steps []Step) {
	role := d.any()
	for range 1 + d.IntN(3) {
		steps = append(steps, send(role))
	}
	return steps
}

// elsewhere sends to one replica, then to another.
func elsewhere(d *drawer) []Step {
	if d.sys.Replicas < 2 {
		return nil
	}
	role := d.any()
	return []Step{send(role), {Do: doSend, Role: role, Replica: 2}}
}

// otherWay sends by two ways in.
func otherWay(d *drawer) []Step {
	role := d.any()
	return []Step{send(role), {Do: doSend, Role: role, Entry: "other"}}
}

func otherWayFirst(d *drawer) []Step {
	role := d.fresh()
	return []Step{{Do: doSend, Role: role, Entry: "other"}, send(role)}
}

// broken loses something on the way.
func broken(f inject.Fault) gesture {
	return func(d *drawer) []Step {
		return []Step{{Do: doSend, Role: d.any(), Fault: f}}
	}
}

// copies sends several at once, now and then with another operation among them.
func copies(d *drawer) []Step {
	role, s := d.any(), Step{Do: doTogether}
	for range 2 + d.IntN(4) {
		s.Steps = append(s.Steps, send(role))
	}
	if d.IntN(3) == 0 {
		s.Steps[len(s.Steps)-1] = send(d.fresh())
	}
	for range 3 {
		s.Offset = append(s.Offset, one(d, 0, 0, 0.1, 0.3, 0.5, 0.75, 0.9))
	}
	return []Step{s}
}

// besideWith starts a delivery and sends something else meanwhile.
func besideWith(then what) gesture {
	return func(d *drawer) []Step {
		role := d.any()
		steps := []Step{start(role)}
		if d.IntN(2) == 0 {
			steps = append(steps, Step{Do: doWait, Amount: Amount{Times: 0.5, Unit: unitHandler}})
		}
		return append(steps, then(d, role), joinAll)
	}
}

// delayed lets a repeat overtake the first delivery.
func delayed(d *drawer) []Step {
	role := d.any()
	first := start(role)
	first.Fault = inject.Fault{Name: inject.Delay.Name, Arg: "200ms"}
	return []Step{first, send(role), joinAll}
}

// changed sends another payload under the same key.
func changed(d *drawer) []Step {
	role := d.any()
	return []Step{send(role), altered(d, role)}
}

func changedField(d *drawer) []Step {
	if len(d.op.Fields) == 0 {
		return nil
	}
	role := d.any()
	return []Step{send(role), send(role + "/" + one(d, d.op.Fields...))}
}

// reencoded sends the same payload in other bytes.
func reencoded(d *drawer) []Step {
	role := d.any()
	return []Step{send(role), {Do: doSend, Role: role, Fault: inject.Reencode}}
}

// rekeyedSend sends under another key, none, or one that is no good.
func rekeyedSend(f inject.Fault) gesture {
	return func(d *drawer) []Step {
		return []Step{{Do: doSend, Role: d.any(), Fault: f}}
	}
}

func armCall(f inject.Fault, role string) Step {
	return Step{Do: doArm, Arm: inject.SiteProvider, Fault: f, Role: role, Call: 1}
}

// provided lets a provider fail a fresh operation.
func provided(f inject.Fault, then what) gesture {
	return func(d *drawer) []Step {
		role := d.fresh()
		return []Step{armCall(f, role), send(role), then(d, role)}
	}
}

func slowBy(arg string) inject.Fault { return inject.Fault{Name: inject.Slow.Name, Arg: arg} }

// slowed sends something else while a provider takes its time.
func slowed(then what) gesture {
	return func(d *drawer) []Step {
		role := d.fresh()
		return []Step{armCall(slowBy("400ms"), role), start(role), pass(100 * time.Millisecond), then(d, role), joinAll}
	}
}

// slowedFailing is the same, and the provider fails at last.
func slowedFailing(d *drawer) []Step {
	role := d.fresh()
	return []Step{armCall(slowBy("200ms"), role), armCall(inject.Fail, role), start(role), pass(50 * time.Millisecond), send(role), joinAll}
}

// outlived lets a call take longer than a claim lasts.
func outlived(times float64) gesture {
	return func(d *drawer) []Step {
		role := d.fresh()
		return []Step{armCall(slowBy("1.5 claim"), role), start(role), {Do: doWait, Amount: Amount{Times: times, Unit: unitClaim}}, send(role), joinAll}
	}
}

// heldCall holds a call until another one comes.
func heldCall(d *drawer) []Step {
	role := d.fresh()
	return []Step{armCall(inject.Hold, role), start(role), pass(20 * time.Millisecond), send(role), joinAll}
}
