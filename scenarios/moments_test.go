package scenarios

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/inject/wire"
)

// made reads moments: "db COMMIT!" stays, "after-effect" is a point.
func made(text string) (all []learned) {
	times := map[string]int{}
	for _, name := range strings.Split(text, ", ") {
		m := learned{name: strings.TrimSuffix(name, "!"), durable: strings.HasSuffix(name, "!")}
		times[m.name]++
		m.nth = times[m.name]
		if link, _, ok := strings.Cut(m.name, " "); ok {
			m.link = link
		}
		all = append(all, m)
	}
	return all
}

func TestWordsForMoments(t *testing.T) {
	const (
		claims = "db INSERT keys!, card POST /v1/charges, db BEGIN, db INSERT charges, db UPDATE keys, db COMMIT!"
		single = "db BEGIN, db INSERT keys, db INSERT charges, db COMMIT!"
		three  = "db BEGIN, db INSERT keys, db COMMIT!, db BEGIN, db INSERT charges, db COMMIT!, db UPDATE keys!"
		points = "after-claim, before-provider, after-provider, before-commit, after-commit"
		asked  = "card GET /v1/customers!, db UPDATE balances!"
		at     = "db WITH x, db UPDATE keys+INSERT charges!"
	)
	for _, test := range []struct {
		moments, word string
		side          wire.Phase
		want          string // "": none
	}{
		{claims, momentEffect, wire.After, "card POST /v1/charges after"},
		{claims, momentMark, wire.After, "db INSERT keys after"},
		{claims, momentWrite, wire.After, "db INSERT charges after"},
		{claims, momentCommit, wire.Before, "db COMMIT before"},
		{claims, momentCall, wire.Before, "card POST /v1/charges before"},
		{single, momentEffect, wire.After, "db COMMIT after"},
		{single, momentMark, wire.After, ""},
		{single, momentCall, wire.After, ""},
		{three, momentEffect, wire.After, "db COMMIT #2 after"},
		{three, momentMark, wire.Before, "db COMMIT before"},
		{three, momentCommit, wire.After, "db UPDATE keys after"},
		{points, momentEffect, wire.Before, "before-provider before"},
		{points, momentEffect, wire.After, "after-provider before"},
		{points, momentMark, wire.After, "after-claim before"},
		{points, momentMark, wire.Before, ""},
		{points, momentCommit, wire.After, "after-commit before"},
		{asked, momentEffect, wire.After, "db UPDATE balances after"},
		{asked, momentWrite, wire.After, "db UPDATE balances after"},
		{at, momentWrite, wire.After, "db UPDATE keys+INSERT charges after"},
		{points + ", " + claims, momentEffect, wire.After, "after-provider before"},
	} {
		got := ""
		if at, ok := placeOf(made(test.moments), test.word, test.side, true); ok {
			got = at.String() + map[wire.Phase]string{wire.Before: " before", wire.After: " after"}[at.phase]
		}
		if got != test.want {
			t.Errorf("%s, side %d of %s: %q, want %q", test.word, test.side, test.moments, got, test.want)
		}
	}
	if at, _ := placeOf(made(points+", "+claims), momentEffect, wire.After, false); at.link != "card" {
		t.Errorf("a link can not cut at a point: %s", at)
	}
}

func TestRepeatOfWhatIsHeld(t *testing.T) {
	op, other := &live{}, &live{}
	for name, test := range map[string]struct {
		before, during func(*traffic)
		came, ended    bool
	}{
		"nobody":                {func(*traffic) {}, func(*traffic) {}, false, false},
		"the held one gives up": {func(x *traffic) { x.set(op, 1, false) }, func(x *traffic) { x.set(op, 1, true) }, false, false},
		"another operation":     {func(x *traffic) { x.set(op, 1, false) }, func(x *traffic) { x.set(other, 1, false); x.set(other, 1, true) }, false, false},
		"a repeat that waits":   {func(x *traffic) { x.set(op, 1, false) }, func(x *traffic) { x.set(op, 2, false) }, true, false},
		"a repeat that ends":    {func(x *traffic) { x.set(op, 1, false) }, func(x *traffic) { x.set(op, 2, false); x.set(op, 2, true) }, true, true},
		"one of two":            {func(x *traffic) { x.set(op, 1, false); x.set(op, 2, false) }, func(x *traffic) { x.set(op, 1, true) }, true, true},
		"after an answer":       {func(x *traffic) { x.set(op, 1, false); x.set(op, 1, true) }, func(x *traffic) { x.set(op, 2, false); x.set(op, 2, true) }, true, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			x := &traffic{}
			test.before(x)
			go func() {
				time.Sleep(time.Millisecond)
				test.during(x)
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if came, ended := x.repeat(ctx, op, nil); came != test.came || ended != test.ended {
				t.Errorf("%s: came %v, ended %v", name, came, ended)
			}
		})
	}
}
