package property

import (
	"reflect"

	"pgregory.net/rapid"
)

// Machine is what takes deliveries one after another: a consumer, a handler, a
// projection, a replica. Apply or Fold is set, the other fields have useful
// zeros.
type Machine[S, Op any] struct {
	// New makes a fresh one. Without it it is the zero value, what a pointer
	// points to included, or an empty map.
	New func() S

	// Apply carries out one delivery on s, which is changed: a pointer, a map, a
	// client. Methods fit as they are: Apply: (*Shop).Handle. An error means that
	// the delivery was refused.
	Apply func(s S, op Op) error

	// Fold is for values: it returns the state after a delivery.
	Fold func(s S, op Op) S

	// Number gives the nth operation of a sequence, counted from 1, what only its
	// place can give: an id of its own, a version that rises. Without it ops are
	// taken as drawn.
	Number func(op Op, n int) Op

	// State is what is compared; without it it is all of s, hidden fields too,
	// but for functions, channels and locks. Leave out of it what may differ:
	// times, generated ids, counts of deliveries.
	State func(s S) any

	// Ordered is for consumers of a log that is read in order: what is delivered
	// again is a stretch from an older position to the newest one (a Kafka group
	// that had not committed its offset). Otherwise single old deliveries come
	// again after newer ones, as from a queue, a caller that tries again, or a
	// second consumer.
	Ordered bool
}

// check tells of fields that do not go together.
func (m Machine[S, Op]) check(t *rapid.T, law string) {
	t.Helper()
	if (m.Apply == nil) == (m.Fold == nil) {
		t.Fatalf("%s: a Machine needs one of Apply, which changes the system, and Fold, which returns its next state", law)
	}
}

func (m Machine[S, Op]) start() S {
	if m.New != nil {
		return m.New()
	}
	return made[S]()
}

// made is a value of which something can be made use of: zero, a pointer to
// zero, an empty map.
func made[S any]() (s S) {
	v := reflect.ValueOf(&s).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()).Convert(v.Type()))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
	return s
}

func (m Machine[S, Op]) state(s S) any {
	if m.State != nil {
		return m.State(s)
	}
	return s
}

// deliver gives the machine one operation, a copy of its own as a message from
// the wire would be.
func (m Machine[S, Op]) deliver(t *rapid.T, law string, k keeper[Op], s S, op Op) (S, error) {
	t.Helper()
	kept := k.seal(op)
	var err error
	if m.Fold != nil {
		s = m.Fold(s, k.copy(op))
	} else {
		err = m.Apply(s, k.copy(op))
	}
	k.intact(t, law, "the system", kept)
	return s, err
}

// play delivers operations in an order to a fresh machine, and returns the state
// in which it ends. accepted is how many deliveries were not refused.
func (m Machine[S, Op]) play(t *rapid.T, law string, k keeper[Op], ops []Op, order []delivery) (state any, accepted int) {
	t.Helper()
	s := m.start()
	for _, d := range order {
		var err error
		if s, err = m.deliver(t, law, k, s, ops[d.op]); err == nil {
			accepted++
		}
	}
	return m.state(s), accepted
}
