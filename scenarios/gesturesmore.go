package scenarios

import (
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

func older(role string, times float64, unit string) Step {
	return Step{Do: doAge, Role: role, Amount: Amount{Times: times, Unit: unit}}
}

// aged sends, lets the record grow older, and sends again.
func aged(times float64, unit string) gesture {
	return func(d *drawer) []Step {
		role := d.any()
		return []Step{send(role), older(role, times, unit), send(role)}
	}
}

func agedTogether(d *drawer) []Step {
	role := d.any()
	return []Step{send(role), older(role, 1.1, unitLife), {Do: doTogether, Steps: []Step{send(role), send(role), send(role)}}}
}

func agedChanged(d *drawer) []Step {
	role := d.any()
	return []Step{send(role), older(role, 1.1, unitLife), altered(d, role)}
}

func waiting(d *drawer) []Step {
	return []Step{{Do: doWait, Amount: one(d, Amount{Exact: 200 * time.Millisecond}, Amount{Times: 0.5, Unit: unitClaim}, Amount{Times: 1.1, Unit: unitClaim})}}
}

// others sends other operations before a repeat.
func others(n int) gesture {
	return func(d *drawer) []Step {
		role := d.any()
		return []Step{send(role), {Do: doFill, Count: n}, send(role)}
	}
}

// otherScope sends another tenant's operation of the same id and key, after one
// of that tenant's alone.
func otherScope(d *drawer) []Step {
	control, role := d.fresh(), d.fresh()
	return []Step{send(control + "@2"), send(role), send(role + "@2")}
}

// sameBody sends another operation of the same content.
func sameBody(d *drawer) []Step {
	role := d.fresh()
	return []Step{send(role), {Do: doSend, Role: d.fresh(), Body: role}}
}

// elsewhereKey uses a key a second time, at another endpoint.
func elsewhereKey(operation string) gesture {
	return func(d *drawer) []Step {
		control, role, second := d.three()
		return []Step{{Do: doSend, Role: control, Self: Self{Operation: operation}}, send(role),
			{Do: doSend, Role: second, Self: Self{Operation: operation, Key: Alike{Of: role}}}}
	}
}

// alikeKeys sends two operations under keys that look the same, after one that
// shows how such a key is taken by itself.
func alikeKeys(how string) gesture {
	return func(d *drawer) []Step {
		control, role, twin := d.three()
		second := Step{Do: doSend, Role: twin, Self: Self{Key: Alike{Of: role, How: how}}}
		if !d.op.OwnBody && !d.op.Bodyless && d.IntN(3) > 0 { // a store that takes them for one sees no other payload
			second.Body = role
		}
		return []Step{{Do: doSend, Role: control, Self: Self{Key: Alike{Of: control, How: how}}},
			{Do: doSend, Role: role, Self: Self{Key: Alike{How: how}}}, second}
	}
}

// alikeIDs is the same with ids.
func alikeIDs(how string) gesture {
	return func(d *drawer) []Step {
		control, role, twin := d.three()
		return []Step{{Do: doSend, Role: control, Self: Self{ID: Alike{Of: control, How: how}}},
			{Do: doSend, Role: role, Self: Self{ID: Alike{How: how}}}, {Do: doSend, Role: twin, Self: Self{ID: Alike{Of: role, How: how}}}}
	}
}

// edge sends a payload at the edge of what a service takes, and repeats it.
func edge(value string) gesture {
	return func(d *drawer) []Step {
		role := d.fresh()
		return []Step{{Do: doSend, Role: role, Self: Self{Value: value}}, send(role)}
	}
}

// olderLast sends an older version after a newer one.
func olderLast(d *drawer) []Step {
	if d.op.Versions < 2 {
		return nil
	}
	letter := d.letter()
	return []Step{send(letter + "#2"), send(letter + "#1")}
}

// versions sends versions of one entity in any order, some of them twice.
func versions(d *drawer) (steps []Step) {
	if d.op.Versions < 2 {
		return nil
	}
	letter := d.letter()
	for range 3 + d.IntN(3) {
		steps = append(steps, send(letter+"#"+strconv.Itoa(1+d.IntN(min(d.op.Versions, 9)))))
	}
	return steps
}

// shuffled sends them in every order.
func shuffled(d *drawer) []Step {
	if d.op.Versions < 2 {
		return nil
	}
	letter, s := d.letter(), Step{Do: doShuffle}
	for v := range min(d.op.Versions, 3) {
		s.Steps = append(s.Steps, send(letter+"#"+strconv.Itoa(v+1)))
	}
	return []Step{s}
}

// asked loses something, and asks whether it happened.
func asked(f inject.Fault) gesture {
	return func(d *drawer) []Step {
		role := d.letter()
		return []Step{{Do: doSend, Role: role, Fault: f}, {Do: doReconcile, Role: role}}
	}
}

// struckAt strikes at a moment of a fresh operation.
func struckAt(site string, f inject.Fault, moment string) gesture {
	return func(d *drawer) []Step {
		if len(d.sys.Links) == 0 && d.sys.Points == nil {
			return nil
		}
		role := d.fresh()
		arm := Step{Do: doArm, Arm: site, Fault: f, Role: role, Moment: moment}
		if f == inject.Hold {
			return []Step{arm, start(role), send(role), joinAll}
		}
		return []Step{arm, send(role)}
	}
}

// between kills or restarts workers between deliveries.
func between(do string) gesture {
	return func(d *drawer) []Step {
		if len(d.sys.Workers) == 0 {
			return nil
		}
		role := d.any()
		return []Step{send(role), {Do: do, Arm: inject.SiteWorker}, send(role)}
	}
}

// awayWhile takes the store away while something is sent.
func awayWhile(do string) gesture {
	return func(d *drawer) []Step {
		if len(d.sys.Links) == 0 {
			return nil
		}
		role := d.any()
		return []Step{{Do: do, Arm: inject.SiteLink}, send(role), {Do: doUp, Arm: inject.SiteLink}, send(role)}
	}
}
